// Who else may look in: the home network's door, codes for new devices, and those that are paired.
import {html, useState} from '../vendor/preact.js';
import {get, post, remove} from '../api.js';
import {tell} from '../ear.js';
import {Action, useLoaded} from '../parts.js';
import {T} from '../texts.js';
import {note} from '../toasts.js';
import {clock, moment} from '../when.js';

export function Devices() {
  const lan = useLoaded(() => get('/api/lan'), []);
  const paired = useLoaded(() => get('/api/devices'), []);
  const [offer, setOffer] = useState(null);
  const isOn = offer?.on ?? lan.data?.on ?? false;
  const turn = async on => setOffer(await post('/api/lan', {on}));
  const devices = paired.data?.devices ?? [];
  return html`<section class="card">
    <h2>${T.trust.devices}</h2>
    <div class="switch-line">
      <button type="button" role="switch" class="switch" aria-checked=${isOn} aria-labelledby="lan-label" onClick=${() => turn(!isOn).catch(tell)}><span aria-hidden="true"></span></button>
      <div><p id="lan-label">${isOn ? T.trust.lanOn : T.trust.lan}</p><p class="hint">${isOn ? offer?.url ?? lan.data?.url : T.trust.lanHint}</p></div>
    </div>
    ${offer?.code && html`<${Offer} offer=${offer} />`}
    ${isOn && html`<div class="buttons"><${Action} icon="smartphone" do=${async () => setOffer(await post('/api/offer'))} onError=${tell}>${T.trust.newCode}<//></div>`}
    ${devices.length === 0
      ? html`<p class="quiet">${T.trust.noDevices}</p>`
      : html`<ul class="devices">${devices.map(device => html`<li key=${device.id}>
          <span dir="auto"><strong>${device.name}</strong> <small>${device.last_seen_at ? T.trust.seen(moment(device.last_seen_at)) : T.trust.never}</small></span>
          <${Action} class="danger" aria-label=${`${T.trust.remove}: ${device.name}`} onError=${tell} do=${async () => {
            await remove(`/api/devices/${device.id}`);
            note({text: T.trust.removed(device.name)});
            await paired.reload();
          }}>${T.trust.remove}<//>
        </li>`)}</ul>`}
    <${Feeds} isOn=${isOn} onMade=${paired.reload} />
  </section>`;
}

/** Addresses for other programs. Words, no links: on a screen of its own nothing would lead back from them. */
function Feeds({isOn, onMade}) {
  const [feed, setFeed] = useState(null);
  const make = async () => {
    setFeed(await post('/api/feeds', {name: T.trust.feedName}));
    await onMade();
  };
  return html`<h3>${T.trust.feeds}</h3>
    <p class="hint">${T.trust.feedsHint} ${!isOn && T.trust.feedsHere}</p>
    ${feed && html`<dl class="details feeds">
      <div><dt>${T.trust.calendar}</dt><dd class="address">${feed.calendar_url}</dd></div>
      <div><dt>${T.home.shopping}</dt><dd class="address">${feed.shopping_url}</dd></div>
    </dl><p class="hint">${T.trust.feedsOnce}</p>`}
    <div class="buttons"><${Action} icon="clock" do=${make} onError=${tell}>${T.trust.newFeed}<//></div>`;
}

const Offer = ({offer}) => html`<div class="offer">
  <img alt=${`QR: ${offer.url}`} src=${`data:image/svg+xml;charset=utf-8,${encodeURIComponent(offer.qr_svg)}`} width="220" height="220" />
  <div>
    <p class="hint">${T.trust.pairHint}</p>
    <p class="address">${offer.url}</p>
    <p>${T.trust.code} <strong class="code">${offer.code}</strong></p>
    ${offer.expires_at && html`<p class="hint">${T.trust.codeUntil(clock(new Date(offer.expires_at)))}</p>`}
  </div>
</div>`;
