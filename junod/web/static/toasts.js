// What was just kept, for a while, with a way to take it back.
import {html, useEffect, useRef, useState} from './vendor/preact.js';
import {api} from './api.js';
import {Action, Icon, Markdown, Quote} from './parts.js';
import {app, touch, useApp} from './state.js';
import {T} from './texts.js';
import {until} from './when.js';

const SHOWN_MS = 25000;
const NOTE_MS = 9000;
const DUE_MS = 600000; // somebody has to come into the kitchen first
const MOST = 3;
const MOST_WAITING = 20;
let nextKey = 1;

const change = toasts => app.set(state => ({toasts: toasts(state.toasts)}));
const drop = key => change(all => all.filter(toast => toast.key !== key));
const put = toast => change(all => [{key: nextKey++, since: performance.now(), ...toast}, ...all].slice(0, MOST_WAITING));

/** A memory was kept. The same again is the same toast. */
export function saved(memory, repeats) {
  const isSame = toast => toast.memory && (toast.memory.id === memory.id || (repeats > 0 && toast.memory.title === memory.title));
  const known = app.get().toasts.find(isSame);
  change(all => all.filter(toast => toast !== known));
  put({...(known && {key: known.key}), memory, repeats});
}

/** Memories gave way to another, or changed by another's hand: their toasts follow. */
export const replaced = (ids, memory) =>
  change(all => all.map(toast => (ids.includes(toast.memory?.id) ? {...toast, memory} : toast)));
export const settled = ids => change(all => all.filter(toast => !ids.includes(toast.memory?.id ?? toast.due)));
export const gone = settled;

/** A short message. `undo`: {text, do}; `link`: where more of it is. */
export const note = ({text, hint = '', isError = false, undo = null, link = ''}) => put({text, hint, isError, undo, link});

/** Something is due soon. Told again, by a daemon that had to start anew, it is no other toast. */
const reminded = new Set();
export function due({memory, text, key}) {
  if (!reminded.has(key)) put({text, due: memory});
  reminded.add(key);
}

export function Toasts() {
  const toasts = useApp(state => state.toasts);
  const [isHeld, setHeld] = useState(false);
  const hold = () => setHeld(true);
  const release = event => setHeld(event.type === 'focusout' && event.currentTarget.contains(event.relatedTarget));
  // The stack may vanish under the finger that held it.
  useEffect(() => { if (!toasts.length) setHeld(false); }, [toasts.length]);
  return html`
    <div class="visually-hidden" role="status" aria-live="polite">${toasts.slice(0, MOST).map(toast => html`<p key=${toast.key}>${spoken(toast)}</p>`)}</div>
    <div class="toasts-place"><section class="toasts" aria-label=${T.toast.label} onMouseEnter=${hold} onMouseLeave=${release} onFocusIn=${hold} onFocusOut=${release}>
      ${toasts.slice(0, MOST).map(toast => html`<${Toast} key=${toast.key} toast=${toast} isHeld=${isHeld} />`)}
      ${toasts.length > MOST && html`<a class="toast-more" href="#memories">${T.toast.more(toasts.length - MOST)}</a>`}
    </section></div>`;
}

const spoken = ({memory, text, hint}) =>
  memory ? T.toast.spoken(memory.title, memory.transcript, until(memory.expires_at)) : `${text} ${hint ?? ''}`;

function Toast({toast, isHeld}) {
  const lasts = toast.due ? DUE_MS : toast.memory ? SHOWN_MS : NOTE_MS;
  const left = useRef(lasts);
  useEffect(() => { left.current = lasts; }, [toast.since]);
  useEffect(() => {
    if (isHeld) return undefined;
    const begun = performance.now();
    const timer = setTimeout(drop, left.current, toast.key);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(3000, left.current - (performance.now() - begun));
    };
  }, [isHeld, toast.since, toast.key]);
  if (toast.due) return html`<${DueToast} toast=${toast} />`;
  return toast.memory ? html`<${MemoryToast} toast=${toast} />` : html`<${NoteToast} toast=${toast} />`;
}

function MemoryToast({toast: {key, memory, repeats}}) {
  const finish = verb => async () => {
    try {
      const answer = await api.change(memory.id, verb);
      drop(key);
      tellChange(verb, memory, answer);
    } catch (error) {
      note({text: error.message, hint: error.hint, isError: true});
    }
  };
  return html`<article class="toast" data-memory=${memory.id}>
    <p class="toast-head">${repeats > 0 ? T.toast.again(repeats + 1) : T.toast.kept}</p>
    <${Markdown} of=${memory.html} class="toast-text" />
    <${Quote} text=${memory.transcript} />
    <p class="toast-until">${until(memory.expires_at)}</p>
    <div class="buttons">
      ${memory.can_undo && html`<${Action} icon="undo-2" do=${finish('undo')}>${T.toast.undo}<//>`}
      <${Action} icon="check" class="primary" do=${finish('done')}>${T.toast.done}<//>
      <a class="button" href=${`#memory/${memory.id}`} onClick=${() => drop(key)}>${T.toast.open}</a>
    </div>
    <${Close} onClick=${() => drop(key)} />
  </article>`;
}

const DueToast = ({toast: {key, text, due: id}}) => html`<article class="toast due" data-memory=${id}>
    <p class="toast-head">${T.toast.due}</p>
    <p class="toast-text" dir="auto">${text}</p>
    <div class="buttons"><a class="button" href=${`#memory/${id}`} onClick=${() => drop(key)}>${T.toast.open}</a></div>
    <${Close} onClick=${() => drop(key)} />
  </article>`;

const Close = ({onClick}) =>
  html`<button type="button" class="toast-close" aria-label=${T.close} onClick=${onClick}><${Icon} name="x" /></button>`;

function NoteToast({toast: {key, text, hint, isError, undo, link}}) {
  return html`<article class=${`toast note ${isError ? 'error' : ''}`}>
    <p class="toast-text" dir="auto"><strong>${text}</strong> ${hint}</p>
    ${undo && html`<div class="buttons">
      <${Action} icon="undo-2" do=${async () => { await undo.do(); drop(key); }}
        onError=${error => { drop(key); note({text: error.message, hint: error.hint, isError: true}); }}>${undo.text}<//>
    </div>`}
    ${link && html`<div class="buttons"><a class="button" href=${link} onClick=${() => drop(key)}>${T.learned.look}</a></div>`}
    <${Close} onClick=${() => drop(key)} />
  </article>`;
}

/** After a change made here: what happened, and the way back. */
export function tellChange(verb, memory, answer) {
  const back = (id, way) => ({text: way === 'unforget' ? T.toast.bringBack : T.toast.undo, do: async () => {
    const again = await api.change(id, way);
    touch();
    note({text: T.toast.brought, hint: again.title});
  }});
  const isErased = Boolean(answer.forgotten);
  const text = verb === 'done' ? T.toast.markedDone : isErased && verb === 'forget' ? T.toast.forgotten : T.toast.undone;
  const undo = verb === 'done' ? back(answer.id, 'restore') : isErased && answer.undo_until ? back(memory.id, 'unforget') : null;
  touch();
  note({text, hint: memory.title, undo});
}
