// Small parts that several views share.
import {html, useEffect, useRef, useState} from './vendor/preact.js';
import {T} from './texts.js';

export const Icon = ({name}) =>
  html`<svg class="icon" aria-hidden="true" focusable="false"><use href=${`/static/icons.svg#${name}`}></use></svg>`;

/** A memory as the server made it harmless: its only place where HTML goes in. */
export const Markdown = ({of, class: name = ''}) =>
  html`<div class=${`markdown ${name}`} dir="auto" dangerouslySetInnerHTML=${{__html: of}}></div>`;

export const Quote = ({text}) => text && html`<p class="quote" dir="auto"><span class="quote-label">${T.toast.heard}</span> “${text}”</p>`;

/** A message of something that went wrong, with what to do. */
export const Problem = ({error, retry}) => error && html`
  <div class="problem" role="alert">
    <p><strong>${error.message}</strong> ${error.hint}</p>
    ${retry && html`<button class="button" onClick=${retry}>${T.again}</button>`}
  </div>`;

/** A button that does something that takes a moment, once at a time, and tells when it failed. */
export function Action({do: act, class: name = '', icon, children, onError, ...rest}) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await act();
    } catch (error) {
      onError?.(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<button type="button" class=${`button ${name}`} aria-busy=${isBusy} onClick=${press} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${children}</span>
  </button>`;
}

/** A form that is sent once at a time, by its button or Enter, and tells when that failed. */
export function Form({do: act, yes, class: name = '', look = 'primary', icon, isReady = true, children, beside}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const send = async event => {
    event.preventDefault();
    if (isBusy || !isReady) return;
    setBusy(true);
    setError(null);
    try {
      await act();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return html`<form class=${name} onSubmit=${send}>
    ${children}
    <${Problem} error=${error} />
    <div class="buttons">
      <button type="submit" class=${`button ${look}`} aria-busy=${isBusy} disabled=${!isReady}>${icon && html`<${Icon} name=${icon} />`}<span>${yes}</span></button>
      ${beside}
    </div>
  </form>`;
}

/** What `load` gives, again whenever one of `keys` is another; the last answer stays until the next is here. */
export function useLoaded(load, keys) {
  const [state, setState] = useState({data: null, error: null});
  const turn = useRef(0);
  const reload = async () => {
    const mine = ++turn.current;
    try {
      const data = await load();
      if (mine === turn.current) setState({data, error: null});
    } catch (error) {
      if (mine === turn.current) setState(old => ({...old, error}));
    }
  };
  useEffect(() => {
    reload();
    return () => { turn.current += 1; };
  }, keys);
  return {...state, reload};
}

/** Asks once more before something that cannot be taken back. */
export function Confirm({question, yes, do: act, onClose, onError}) {
  const dialog = useRef(null);
  useEffect(() => { dialog.current.showModal(); }, []);
  return html`<dialog class="confirm" ref=${dialog} onClose=${onClose} aria-label=${question}>
    <p>${question}</p>
    <div class="buttons">
      <button type="button" class="button" autofocus onClick=${() => dialog.current.close()}>${T.cancel}</button>
      <${Action} class="danger" do=${async () => { await act(); dialog.current?.close(); }}
        onError=${error => { onError?.(error); dialog.current?.close(); }}>${yes}<//>
    </div>
  </dialog>`;
}
