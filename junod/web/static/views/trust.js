// What is heard, kept and thrown away; where it is; and how to have it or be rid of it.
import {html, useState} from '../vendor/preact.js';
import {get, post} from '../api.js';
import {EarProblem, switchEar, tell} from '../ear.js';
import {Action, Confirm, Form, Icon, Problem, useLoaded} from '../parts.js';
import {app, touch, useApp} from '../state.js';
import {T} from '../texts.js';
import {note} from '../toasts.js';
import {moment, plainDay} from '../when.js';
import {Devices} from './devices.js';
import {Learned} from './learned.js';

export function Trust() {
  const revision = useApp(state => state.revision);
  const {data, error, reload} = useLoaded(() => get('/api/trust'), [revision]);
  return html`
    <header class="view-head"><h1>${T.trust.title}</h1>
      <a class="button" href="#setup"><${Icon} name="settings" />${T.trust.setup}</a></header>
    <${Problem} error=${error} retry=${reload} />
    <div class="cards">
      <div class="column"><${Listening} /><${Learned} />${data && html`<${Whereabouts} trust=${data} />`}</div>
      <div class="column">${data && html`<${Counts} trust=${data} />`}<${Devices} /><${Erase} /></div>
    </div>`;
}

function Listening() {
  const ear = useApp(state => state.ear);
  const [isAsking, setAsking] = useState(false);
  const off = body => () => switchEar('off-record', body);
  const forget = async () => {
    await switchEar('forget-last', {minutes: 5});
    touch();
    note({text: T.trust.forgotFive(0)});
  };
  const [verb, text] = ear?.muted ? ['unmute', T.ear.unmute] : ['mute', T.ear.mute];
  return html`<section class="card">
    <h2>${T.trust.ear}</h2>
    <p class="figure">${T.trust.today(ear?.heard_today ?? '–', ear?.kept_today ?? '–')}</p>
    <${EarProblem} />
    <p class="hint">${T.trust.muteHint}</p>
    <div class="buttons"><${Action} icon=${ear?.muted ? 'mic-off' : 'mic'} do=${() => switchEar(verb)} onError=${tell}>${text}<//></div>
    <h3>${T.trust.pause}</h3>
    <p class="hint">${T.trust.offHint}</p>
    <div class="buttons">
      ${ear?.state === 'off-record'
        ? html`<${Action} class="primary" icon="mic" do=${() => switchEar('on-record')} onError=${tell}>${T.ear.onRecord}<//>`
        : html`
          <${Action} do=${off({minutes: 10})} onError=${tell}>${T.trust.ten}<//>
          <${Action} do=${off({minutes: 60})} onError=${tell}>${T.trust.hour}<//>
          <${Action} do=${off({until: 'morning'})} onError=${tell}>${T.trust.morning}<//>`}
    </div>
    <div class="buttons apart">
      <button type="button" class="button danger" onClick=${() => setAsking(true)}><${Icon} name="history" /><span>${T.trust.forgetFive}</span></button>
    </div>
    ${isAsking && html`<${Confirm} question=${T.trust.forgetFiveAsk} yes=${T.trust.forgetYes} do=${forget} onError=${tell} onClose=${() => setAsking(false)} />`}
  </section>`;
}

function Counts({trust}) {
  const stages = trust.stages.filter(stage => stage.thrown_away > 0);
  return html`<section class="card">
    <h2>${T.trust.counts}</h2>
    ${stages.length === 0
      ? html`<p class="quiet">${T.trust.nothingThrown}</p>`
      : html`<table><thead><tr><th scope="col">${T.trust.stage}</th><th scope="col" class="number">${T.trust.thrown}</th></tr></thead>
          <tbody>${stages.map(stage => html`<tr key=${stage.name}><th scope="row">${T.trust.stages[stage.name] ?? stage.name}</th>
            <td class="number">${stage.thrown_away}</td></tr>`)}</tbody></table>`}
    ${trust.days.length > 0 && html`<table><thead><tr><th scope="col">${T.trust.day}</th><th scope="col" class="number">${T.trust.heard}</th>
        <th scope="col" class="number">${T.trust.kept}</th></tr></thead>
      <tbody>${trust.days.slice(-7).reverse().map(day => html`<tr key=${day.date}><th scope="row">${plainDay(day.date)}</th>
        <td class="number">${day.heard}</td><td class="number">${day.kept}</td></tr>`)}</tbody></table>`}
  </section>`;
}

function Whereabouts({trust}) {
  const facts = [
    [T.trust.database, trust.database],
    [T.trust.size, size(trust.size_bytes)],
    [T.trust.since, trust.since && moment(trust.since)],
    [T.trust.audio, T.trust.audioNowhere],
  ];
  return html`<section class="card">
    <h2>${T.trust.data}</h2>
    <dl class="details">${facts.map(([name, value]) => value && html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <h3>${T.trust.export}</h3>
    <div class="buttons">
      <a class="button" href="/api/export.json" download><${Icon} name="download" />${T.trust.exportJson}</a>
      <a class="button" href="/api/export.zip" download><${Icon} name="download" />${T.trust.exportMarkdown}</a>
    </div>
  </section>`;
}

const size = bytes => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function Erase() {
  const [typed, setTyped] = useState('');
  const erase = async () => {
    const {forgotten} = await post('/api/forget-all', {typed: 'delete everything'});
    setTyped('');
    app.set({toasts: []});
    touch();
    note({text: T.trust.erased(forgotten.length)});
  };
  return html`<section class="card card-danger">
    <h2>${T.trust.erase}</h2>
    <${Form} do=${erase} yes=${T.trust.erase} look="danger" icon="trash-2" isReady=${typed.trim().toLowerCase() === T.trust.eraseTyped}>
      <label for="erase">${T.trust.eraseHint} <strong>${T.trust.eraseTyped}</strong></label>
      <input id="erase" autocomplete="off" autocapitalize="none" spellcheck=${false} value=${typed} onInput=${event => setTyped(event.currentTarget.value)} />
    <//>
  </section>`;
}
