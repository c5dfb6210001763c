// One memory: what was heard, when it ends, how it came to be, and what can be done with it.
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {api} from '../api.js';
import {tell} from '../ear.js';
import {Action, Confirm, Form, Icon, Markdown, Problem, useLoaded} from '../parts.js';
import {touch, useApp} from '../state.js';
import {T} from '../texts.js';
import {tellChange} from '../toasts.js';
import {moment, until} from '../when.js';
import {Why} from './why.js';

export function MemoryView({id}) {
  const revision = useApp(state => state.revision);
  const {data, error, reload} = useLoaded(() => api.history(id), [id, revision]);
  const memory = data?.memories.find(each => each.id === id || each.id.endsWith(id));
  return html`
    <header class="view-head">
      <a class="button back" href="#memories"><${Icon} name="chevron-left" />${T.back}</a>
      <h1 class="visually-hidden">${T.memory.title}</h1>
    </header>
    ${error?.status === 404
      ? html`<p class="nothing">${T.memory.gone}</p>`
      : html`<${Problem} error=${error} retry=${reload} />`}
    ${memory && !(error?.status === 404) && html`<div class="detail">
      <${Present} memory=${memory} />
      <${History} current=${memory} history=${data} />
    </div>`}`;
}

function Present({memory}) {
  const [isEditing, setEditing] = useState(false);
  const isPast = memory.superseded_by.length > 0;
  return html`<section class=${`present ${isPast ? 'past' : ''}`}>
    ${isPast && html`<p class="warning">${T.memory.newer}. <a href=${`#memory/${memory.superseded_by[0]}`}>${T.memory.openNewer}</a></p>`}
    ${isEditing
      ? html`<${Edit} memory=${memory} close=${() => setEditing(false)} />`
      : html`<${Markdown} of=${memory.html} class="present-text" />`}
    ${!isEditing && html`<${Buttons} memory=${memory} isPast=${isPast} edit=${() => setEditing(true)} />`}
    <${Facts} memory=${memory} />
  </section>`;
}

function Facts({memory}) {
  const facts = [
    [T.memory.heard, memory.transcript && html`<q dir="auto">${memory.transcript}</q>`],
    [T.memory.said, `${moment(memory.spoken_at)} · ${memory.age}`],
    [T.memory.kept, memory.archived ? T.memory.archived : until(memory.expires_at).replace(/^kept /, '')],
    [T.memory.room, T.rooms[memory.room] ?? memory.room],
    [T.memory.from, T.memory.sources[memory.source] ?? memory.source],
  ];
  return html`<dl class="details">${facts.map(([name, value]) => value && html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const changing = (memory, verb) => async () => {
  const answer = await api.change(memory.id, verb);
  if (answer.forgotten) location.hash = '#memories';
  else if (answer.id !== memory.id) location.hash = `#memory/${answer.id}`;
  tellChange(verb, memory, answer);
};

function Buttons({memory, isPast, edit}) {
  const change = verb => changing(memory, verb);
  const isStruck = memory.source === 'done' || memory.archived;
  return html`<div class="buttons">
    ${!isPast && !isStruck && html`<${Action} class="primary" icon="check" do=${change('done')} onError=${tell}>${T.memory.done}<//>`}
    ${!isPast && isStruck && html`<${Action} class="primary" icon="rotate-ccw" do=${change('restore')} onError=${tell}>${T.memory.restore}<//>`}
    ${!isPast && !isStruck && html`<button type="button" class="button" onClick=${edit}><${Icon} name="pencil" /><span>${T.memory.edit}</span></button>`}
    ${memory.can_undo && !isStruck && memory.supersedes.length > 0 && html`
      <${Action} icon="undo-2" do=${change('undo')} onError=${tell}>${T.memory.undo}<//>`}
    <${Forget} memory=${memory} />
    <${Why} id=${memory.id}><div class="buttons"><${Forget} memory=${memory} /></div><//>
  </div>`;
}

function Forget({memory}) {
  const [isAsking, setAsking] = useState(false);
  return html`<button type="button" class="button danger" onClick=${() => setAsking(true)}><${Icon} name="trash-2" /><span>${T.memory.forget}</span></button>
    ${isAsking && html`<${Confirm} question=${T.memory.forgetAsk} yes=${T.memory.forgetYes} do=${changing(memory, 'forget')} onError=${tell}
      onClose=${() => setAsking(false)} />`}`;
}

function Edit({memory, close}) {
  const [text, setText] = useState(memory.memory);
  const field = useRef(null);
  useEffect(() => field.current.focus(), []);
  const save = async () => {
    if (text.trim() && text.trim() !== memory.memory) {
      const edited = await api.change(memory.id, 'edit', {text: text.trim()});
      touch();
      location.hash = `#memory/${edited.id}`;
    }
    close();
  };
  return html`<${Form} class="edit" do=${save} yes=${T.memory.save}
    beside=${html`<button type="button" class="button" onClick=${close}>${T.cancel}</button>`}>
    <label for="edit-text">${T.memory.editLabel}</label>
    <textarea id="edit-text" dir="auto" rows="5" maxlength="2000" ref=${field} value=${text}
      onInput=${event => setText(event.currentTarget.value)}></textarea>
  <//>`;
}

/** What superseded what: the newest at the top, each with what it grew from below it. */
function History({current, history: {memories, links}}) {
  if (memories.length < 2) return null;
  const byId = new Map(memories.map(memory => [memory.id, memory]));
  const roots = memories.filter(memory => !links.some(link => link.old === memory.id));
  return html`<section class="history">
    <h2>${T.memory.history}</h2>
    <ul class="tree">${roots.map(root => html`<${Branch} key=${root.id} id=${root.id} byId=${byId} links=${links} current=${current} seen=${[]} />`)}</ul>
  </section>`;
}

function Branch({id, byId, links, current, seen}) {
  const memory = byId.get(id);
  if (!memory || seen.includes(id)) return null;
  const sources = links.filter(link => link.new === id);
  const reason = sources[0] ? T.memory.reasons[sources[0].reason] ?? sources[0].reason : T.memory.sources[memory.source] ?? memory.source;
  const isHere = memory.id === current.id;
  return html`<li>
    <a class="branch" href=${`#memory/${id}`} aria-current=${isHere ? 'true' : undefined}>
      <span class="branch-why">${reason} · ${moment(memory.created_at)}</span>
      <${Markdown} of=${memory.html} />
    </a>
    ${sources.length > 0 && html`<ul>${sources.map(link => html`
      <${Branch} key=${link.old} id=${link.old} byId=${byId} links=${links} current=${current} seen=${[...seen, id]} />`)}</ul>`}
  </li>`;
}
