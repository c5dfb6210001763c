// Everything that is remembered, and a way to find it.
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {ApiError, api} from '../api.js';
import {Form, Icon, Markdown, Problem, Quote} from '../parts.js';
import {createStore, touch, useApp} from '../state.js';
import {T} from '../texts.js';
import {until} from '../when.js';

const DEBOUNCE_MS = 200;
const PAGE = 60;
const MOST = 1000;
const NOTHING = {q: '', room: '', source: '', period: '', withDone: false, withHistory: false};
const kept = createStore(NOTHING); // filters stay while somebody looks at one memory

export function Memories() {
  const [wanted, setWanted] = useState(kept.get);
  const [limit, setLimit] = useState(PAGE);
  const choose = change => {
    const next = {...wanted, ...change};
    kept.set(next);
    setWanted(next);
    setLimit(PAGE);
  };
  const {found, error, isFresh, reload} = useFound(wanted, limit);
  const shown = found?.memories.filter(memory => wanted.withDone || memory.source !== 'done');
  return html`
    <header class="view-head"><h1>${T.memories.title}</h1></header>
    <${Search} wanted=${wanted} choose=${choose} />
    <${Problem} error=${error} retry=${reload} />
    ${found?.note && html`<p class="quiet">${found.note}</p>`}
    <p class="count" role="status">${shown && T.memories.count(shown.length) + (found.memories.length >= limit ? ' +' : '')}</p>
    ${shown?.length === 0 && html`<p class="nothing"><strong>${T.memories.none}</strong> ${T.memories.noneHint}</p>`}
    <ul class="memories" aria-busy=${!isFresh}>${shown?.map(memory => html`<${Row} key=${memory.id} memory=${memory} />`)}</ul>
    ${found?.memories.length >= limit && limit < MOST && html`
      <button type="button" class="button more" onClick=${() => setLimit(Math.min(MOST, limit * 3))}>${T.memories.more}</button>`}
    <${Add} />`;
}

function useFound(wanted, limit) {
  const [state, setState] = useState({found: null, error: null, isFresh: false});
  const [attempt, setAttempt] = useState(0);
  const revision = useApp(all => all.revision);
  const lastWords = useRef(wanted.q);
  useEffect(() => {
    const overtaken = new AbortController();
    const load = async () => {
      try {
        const found = await api.find(query(wanted, limit), overtaken.signal);
        setState({found, error: null, isFresh: true});
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'overtaken')) setState(old => ({...old, error, isFresh: true}));
      }
    };
    setState(old => ({...old, isFresh: false}));
    const timer = setTimeout(load, wanted.q === lastWords.current ? 0 : DEBOUNCE_MS);
    lastWords.current = wanted.q;
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [wanted, limit, revision, attempt]);
  return {...state, reload: () => setAttempt(attempt + 1)};
}

function query({q, room, source, period, withHistory}, limit) {
  const [since, end] = period === 'today' || period === 'yesterday' ? [period, period] : [period, ''];
  return {q, room, source, since, until: end, limit, include: withHistory ? 'superseded,archived' : ''};
}

function Search({wanted, choose}) {
  const pick = key => event => choose({[key]: event.currentTarget.value});
  const toggle = key => () => choose({[key]: !wanted[key]});
  return html`<search class="search">
    <label class="search-box"><span class="visually-hidden">${T.memories.search}</span><${Icon} name="search" />
      <input type="search" enterkeyhint="search" autocomplete="off" dir="auto" maxlength="200" placeholder=${T.memories.placeholder}
        value=${wanted.q} onInput=${pick('q')} />
    </label>
    <div class="filters">
      <${Choice} label=${T.memories.period} any=${T.memories.anyTime} options=${T.memories.periods} value=${wanted.period} onChange=${pick('period')} />
      <${Choice} label=${T.memories.room} any=${T.memories.anyRoom} options=${T.rooms} value=${wanted.room} onChange=${pick('room')} />
      <${Choice} label=${T.memories.source} any=${T.memories.anySource} value=${wanted.source} onChange=${pick('source')}
        options=${{voice: T.memory.sources.voice, manual: T.memory.sources.manual, merge: T.memory.sources.merge}} />
      <button type="button" class="chip" aria-pressed=${wanted.withDone} onClick=${toggle('withDone')}>${T.memories.showDone}</button>
      <button type="button" class="chip" aria-pressed=${wanted.withHistory} onClick=${toggle('withHistory')}>${T.memories.showHistory}</button>
    </div>
  </search>`;
}

const Choice = ({label, any, options, value, onChange}) => html`
  <label class="choice"><span class="visually-hidden">${label}</span>
    <select value=${value} onChange=${onChange}>
      <option value="">${any}</option>
      ${Object.entries(options).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>
  </label>`;

function Row({memory}) {
  const isPast = memory.archived || memory.superseded_by.length > 0;
  const facts = [memory.age, T.rooms[memory.room] ?? memory.room, T.memory.sources[memory.source] ?? memory.source,
    isPast ? (memory.archived ? T.memory.archived : T.memory.superseded) : until(memory.expires_at)];
  return html`<li class=${`row ${isPast ? 'past' : ''}`}>
    <a href=${`#memory/${memory.id}`} aria-label=${memory.title}><${Markdown} of=${memory.html} /></a>
    <${Quote} text=${memory.transcript} />
    <p class="facts">${facts.join(' · ')}</p>
  </li>`;
}

function Add() {
  const [text, setText] = useState('');
  const save = async () => {
    await api.add(text.trim());
    setText('');
    touch();
  };
  return html`<${Form} class="add" do=${save} yes=${T.memories.save} isReady=${Boolean(text.trim())}>
    <label for="new-memory">${T.memories.add}</label>
    <input id="new-memory" dir="auto" maxlength="2000" autocomplete="off" placeholder=${T.memories.addPlaceholder} value=${text}
      onInput=${event => setText(event.currentTarget.value)} />
  <//>`;
}
