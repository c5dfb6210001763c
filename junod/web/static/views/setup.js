// The first start: who this device is, with what it listens, and whether it does.
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {api, get, post} from '../api.js';
import {EarProblem, loadEar} from '../ear.js';
import {Form, Icon, Markdown, Problem, Quote, useLoaded} from '../parts.js';
import {app, useApp} from '../state.js';
import {T} from '../texts.js';

const LOOK_MS = 250;
const KEYS = ['device_id', 'room', 'microphone', 'timezone', 'language', 'day_first'];

export function Setup() {
  const {data, error, reload} = useLoaded(api.setup, []);
  return html`
    <header class="view-head"><h1>${T.setup.title}</h1><p class="quiet">${T.setup.intro}</p></header>
    <${Problem} error=${error} retry=${reload} />
    ${data && html`<div class="cards">
      <${Choices} setup=${data} />
      <div class="column"><${Listen} /><${Models} /></div>
    </div>`}`;
}

function Choices({setup}) {
  const [chosen, setChosen] = useState(setup);
  const [told, setTold] = useState(null);
  const microphones = useLoaded(() => get('/api/setup/microphones'), []);
  const take = key => event => {
    const {type, checked, value} = event.currentTarget;
    setChosen(old => ({...old, [key]: type === 'checkbox' ? checked : value}));
  };
  const save = async () => {
    setTold(await post('/api/setup', Object.fromEntries(KEYS.map(key => [key, chosen[key]]))));
  };
  const names = microphones.data?.microphones.map(each => each.name) ?? [];
  return html`<${Form} class="card" do=${save} yes=${T.setup.save} isReady=${Boolean(setup.path)}>
    <${Field} id="set-name" label=${T.setup.name}><input id="set-name" required maxlength="64" autocomplete="off" dir="auto" value=${chosen.device_id} onInput=${take('device_id')} /><//>
    <${Field} id="set-room" label=${T.setup.room}><${Select} id="set-room" value=${chosen.room} onChange=${take('room')}
      options=${setup.rooms.map(room => [room, T.rooms[room] ?? room])} /><//>
    <${Field} id="set-microphone" label=${T.setup.microphone}><${Select} id="set-microphone" value=${chosen.microphone} onChange=${take('microphone')}
      options=${[['', T.setup.systemMicrophone], ...withChosen(names, chosen.microphone)]} /><//>
    <${Problem} error=${microphones.error} retry=${microphones.reload} />
    <${Field} id="set-zone" label=${T.setup.zone}><${Select} id="set-zone" value=${chosen.timezone} onChange=${take('timezone')}
      options=${[['', T.setup.zoneSystem(setup.zone)], ...withChosen(Intl.supportedValuesOf('timeZone'), chosen.timezone)]} /><//>
    <${Field} id="set-language" label=${T.setup.language}><${Select} id="set-language" value=${chosen.language} onChange=${take('language')}
      options=${Object.entries({[chosen.language]: chosen.language, ...T.setup.languages})} /><//>
    <label class="check"><input type="checkbox" checked=${chosen.day_first} onChange=${take('day_first')} /><span>${T.setup.dayFirst}</span></label>
    ${!setup.path && html`<p class="warning">${T.setup.nowhere}</p>`}
    <div role="status">${told && html`<p class="told">${T.setup.saved(told.path)}
      ${told.needs_restart.length > 0 && ` ${T.setup.restart(told.needs_restart.map(key => T.setup.keys[key] ?? key).join(', '))}`}</p>`}</div>
  <//>`;
}

const withChosen = (names, chosen) => [...new Set(chosen ? [chosen, ...names] : names)].map(name => [name, name]);

const Field = ({id, label, children}) => html`<div class="field"><label for=${id}>${label}</label>${children}</div>`;

const Select = ({id, value, options, onChange}) => html`<select id=${id} value=${value} onChange=${onChange}>
  ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
</select>`;

function Listen() {
  const since = useRef(new Date(Date.now() + app.get().clockOffsetMs - 5000));
  const heard = useApp(state => state.toasts.find(toast => toast.memory && new Date(toast.memory.created_at) > since.current)?.memory);
  const level = useApp(state => state.ear?.level_dbfs);
  useEffect(() => {
    const timer = setInterval(loadEar, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const known = typeof level === 'number';
  const words = !known ? T.setup.levelSilent : level < -55 ? T.setup.levelQuiet : level > -6 ? T.setup.levelLoud : T.setup.levelGood;
  return html`<section class="card">
    <h2 id="level">${T.setup.level}</h2>
    <meter class="level" aria-labelledby="level" min="0" max="80" value=${known ? Math.max(0, Math.min(80, level + 80)) : 0}>${words}</meter>
    <p class="hint">${words}${known ? ` (${Math.round(level)} dB)` : ''}</p>
    <${EarProblem} />
    <h2>${T.setup.test}</h2>
    <p class="hint">${T.setup.testHint}</p>
    <div class="heard" aria-live="polite">${heard
      ? html`<p>${T.setup.testHeard}</p><${Markdown} of=${heard.html} /><${Quote} text=${heard.transcript} />`
      : html`<p class="quiet">${T.setup.testWaiting}</p>`}</div>
  </section>`;
}

function Models() {
  const {data, error, reload} = useLoaded(() => get('/api/setup/models'), []);
  return html`<section class="card">
    <h2>${T.setup.models}</h2>
    <${Problem} error=${error} retry=${reload} />
    <ul class="models">${data?.models.map(model => html`<li key=${model.name} class=${model.present ? 'there' : 'missing'}>
      <${Icon} name=${model.present ? 'check' : 'x'} />
      <span><strong>${model.name}</strong> <small>${model.use} · ${model.present ? T.setup.present : T.setup.missing}</small>
        ${!model.present && html`<small class="fault">${model.problem} ${model.hint}</small>`}</span>
    </li>`)}</ul>
  </section>`;
}
