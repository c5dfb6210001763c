// What the family sees in passing.
import {html, useEffect, useState} from '../vendor/preact.js';
import {api} from '../api.js';
import {EarProblem, tell} from '../ear.js';
import {Icon} from '../parts.js';
import {loadHome} from '../household.js';
import {app, useApp} from '../state.js';
import {T} from '../texts.js';
import {clock, dayName, longDay, now} from '../when.js';
import {Question} from './learned.js';

export function Home() {
  const home = useApp(state => state.home);
  return html`
    <h1 class="visually-hidden">${T.home.title}</h1>
    <div class="home">
      <div class="home-left">
        <${Clock} />
        <${EarProblem} />
        ${home?.unsynced && html`<p class="warning">${T.home.unsynced}</p>`}
        ${home?.days.map((day, index) => html`<${Day} key=${day.date} day=${day} isFirst=${index === 0} />`)}
        <div aria-live="polite"><${Question} /></div>
      </div>
      <div class="home-right">
        ${home && html`<${Shopping} lines=${home.shopping} /><${Reminders} reminders=${home.reminders} />`}
      </div>
    </div>`;
}

function Clock() {
  const [moment, setMoment] = useState(now);
  const offset = useApp(state => state.clockOffsetMs);
  useApp(state => state.zone);
  useEffect(() => {
    let timer;
    const tick = () => {
      setMoment(now());
      timer = setTimeout(tick, 60010 - (now() % 60000));
    };
    tick();
    return () => clearTimeout(timer);
  }, [offset]);
  return html`<header class="now">
    <time class="clock" datetime=${clock(moment)}>${clock(moment)}</time>
    <p class="date">${longDay(moment)}</p>
  </header>`;
}

function Day({day, isFirst}) {
  return html`<section class=${`day ${isFirst ? 'day-first' : ''}`}>
    <h2>${T.home.days[day.label] ?? day.label}</h2>
    ${day.entries.length === 0
      ? html`<p class="quiet">${T.home.nothing}</p>`
      : html`<ul class="entries">${day.entries.map(entry => html`
          <li key=${entry.id + entry.time}><a class="entry" href=${`#memory/${entry.id}`}>
            ${entry.time && html`<time>${entry.time}</time>`}<span dir="auto">${entry.text}</span>
          </a></li>`)}</ul>`}
  </section>`;
}

let ticking = Promise.resolve(); // one after the other: each tick leads to a new memory, which the next one starts from

function Shopping({lines}) {
  const [flipped, setFlipped] = useState({}); // what was touched and is not yet confirmed
  const isDone = line => flipped[line.item] ?? line.done;
  const forget = item => setFlipped(({[item]: _, ...others}) => others);
  const tick = line => {
    const done = !isDone(line);
    setFlipped(old => ({...old, [line.item]: done}));
    ticking = ticking.then(async () => {
      const current = app.get().home.shopping.find(other => other.item === line.item) ?? line;
      try {
        await api.tick(current.memory_id, line.item, done);
      } catch (error) {
        tell(error);
      }
      await loadHome();
      forget(line.item);
    });
  };
  return html`<section class="shopping">
    <h2>${T.home.shopping}</h2>
    ${lines.length === 0
      ? html`<p class="quiet">${T.home.nothingToBuy}</p>`
      : html`<ul class=${`ticks ${lines.length > 5 ? 'ticks-two' : ''}`}>${lines.map(line => html`
          <li key=${line.item}>
            <button type="button" class="tick" role="checkbox" aria-checked=${isDone(line)} onClick=${() => tick(line)}>
              <span class="box" aria-hidden="true"><${Icon} name="check" /></span><span class="tick-text" dir="auto">${line.item}</span>
            </button>
          </li>`)}</ul>`}
  </section>`;
}

function Reminders({reminders}) {
  return html`<section class="reminders">
    <h2>${T.home.reminders}</h2>
    ${reminders.length === 0
      ? html`<p class="quiet">${T.home.nothingToDo}</p>`
      : html`<ul class="entries">${reminders.map(reminder => html`
          <li key=${reminder.id}><a class="entry" href=${`#memory/${reminder.id}`}>
            <span dir="auto">${reminder.text}</span>${reminder.due && html`<small>${dayName(new Date(new Date(reminder.due) - 1000))}</small>`}
          </a></li>`)}</ul>`}
  </section>`;
}
