// Why something is known: its layer, the words or events behind it, and since when.
import {html, useState} from '../vendor/preact.js';
import {api} from '../api.js';
import {Icon, Problem, useLoaded} from '../parts.js';
import {T} from '../texts.js';
import {moment} from '../when.js';

/** A button, and the answer below it. `children`: what removes it. */
export const Why = ({id, about, children}) => html`
  <${Unfold} text=${T.why.ask} about=${about} icon="quote"><${Answer} id=${id}>${children}<//><//>`;

/** A button, and below it, while it is pressed, `children`. */
export function Unfold({text, about, icon, children}) {
  const [isOpen, setOpen] = useState(false);
  return html`<div class="why">
    <button type="button" class="button" aria-expanded=${isOpen} aria-label=${about && `${text} ${about}`} onClick=${() => setOpen(!isOpen)}>
      <${Icon} name=${icon} /><span>${text}</span></button>
    ${isOpen && children}
  </div>`;
}

function Answer({id, children}) {
  const {data, error, reload} = useLoaded(() => api.why(id), [id]);
  if (!data) return html`<${Problem} error=${error} retry=${reload} />`;
  return html`<div class="why-answer" aria-live="polite">
    <dl class="details">
      <div><dt>${T.why.layer}</dt><dd>${T.why.layers[data.layer]}</dd></div>
      <div><dt>${T.why.how}</dt><dd>${data.because}</dd></div>
      <div><dt>${T.why.since}</dt><dd>${moment(data.since)}</dd></div>
      ${data.evidence.length > 0 && html`<div><dt>${T.why.evidence}</dt><dd><ul class="evidence">${data.evidence.map((each, at) => html`
        <li key=${at}><q dir="auto">${each.text}</q> <small>${moment(each.at)}</small>
          ${each.memory && each.memory !== data.id && html` <a href=${`#memory/${each.memory}`}>${T.why.open}</a>`}</li>`)}</ul></dd></div>`}
    </dl>
    ${children}
  </div>`;
}
