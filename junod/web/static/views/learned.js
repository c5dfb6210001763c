// What junod learned beside the memories: the one question it has, and the list of all of it.
import {html, useState} from '../vendor/preact.js';
import {api} from '../api.js';
import {tell} from '../ear.js';
import {loadLearned} from '../household.js';
import {Action, Confirm, Form, Icon, Markdown, Problem, useLoaded} from '../parts.js';
import {app, touch, useApp} from '../state.js';
import {T} from '../texts.js';
import {note} from '../toasts.js';
import {Unfold, Why} from './why.js';

/** A rule was said. Home asks by itself; elsewhere a word says where it waits. */
export async function ruleHeard({rule}) {
  await loadLearned();
  if (app.get().route.name !== 'home') note({text: T.learned.heardRule, hint: rule, link: '#trust'});
}

/** What a rule lacks is asked back. */
export const ruleUnclear = ({question}) => note({text: T.learned.unclearRule, hint: question});

/** At most one at a time, and never one that talks to programs. */
export function Question() {
  const learned = useApp(state => state.learned);
  const rule = learned?.proposed.find(each => !each.suspect);
  const due = learned?.suggestion;
  if (rule) return html`<${Asked} key=${rule.id} text=${T.learned.isRule(rule.rule)} yes=${T.learned.confirm} agree=${confirm(rule)} decline=${refuse(rule)} />`;
  if (due) return html`<${Asked} key=${due.habit} text=${due.text} yes=${T.learned.putOnList} agree=${buy(due)} decline=${notNow(due)} />`;
  return null;
}

const Asked = ({text, yes, agree, decline}) => html`<section class="asked" aria-label=${T.learned.question}>
  <p dir="auto">${text}</p>
  <div class="buttons">
    <${Action} icon="check" do=${agree} onError=${tell}>${yes}<//>
    <${Action} do=${decline} onError=${tell}>${T.learned.no}<//>
  </div>
</section>`;

const confirm = rule => async () => {
  await api.rule(rule.id, 'confirm');
  note({text: T.learned.confirmed, hint: rule.rule});
  await loadLearned();
};

const refuse = rule => async () => {
  await api.unlearn('rules', rule.id);
  note({text: T.learned.refused});
  await loadLearned();
};

const buy = due => async () => {
  await api.add(due.proposal); // first: the same list is stored once, so this can be tried again
  await api.answer(due.habit, 'yes');
  await loadLearned();
  touch();
};

const notNow = due => async () => {
  await api.answer(due.habit, 'no');
  await loadLearned();
};

/** Everything that is known beside the memories, each with its reasons and a way to be rid of it. */
export function Learned() {
  const learned = useApp(state => state.learned);
  if (!learned) return null;
  const {proposed, rules, habits, impressions} = learned;
  return html`<section class="card">
    <h2>${T.learned.title}</h2>
    ${proposed.length + rules.length + habits.length + impressions.length === 0 && html`<p class="quiet">${T.learned.nothing}</p>`}
    <${Part} title=${T.learned.proposed} hint=${T.learned.proposedHint} of=${proposed} show=${rule => html`
      <${Known} key=${rule.id} id=${rule.id} text=${rule.rule} warnings=${warnings(rule)}>
        <${Action} class="primary" icon="check" do=${confirm(rule)} onError=${tell}>${T.learned.confirm}<//>
        <${Action} do=${refuse(rule)} onError=${tell}>${T.learned.no}<//>
        <${DryRun} rule=${rule} />
      <//>`} />
    <${Part} title=${T.learned.rules} of=${rules} show=${rule => html`
      <${Known} key=${rule.id} id=${rule.id} text=${rule.rule} warnings=${warnings(rule)}>
        <${Switch} rule=${rule} />${isBehind(rule, rules) && html`<${First} rule=${rule} />`}
        <${Delete} layer="rules" id=${rule.id} text=${rule.rule} /><${DryRun} rule=${rule} />
      <//>`} />
    <${Declare} />
    <${Part} title=${T.learned.habits} hint=${T.learned.habitsHint} of=${habits} show=${habit => html`
      <${Known} key=${habit.id} id=${habit.id} text=${habit.sentence}><${Delete} layer="habits" id=${habit.id} text=${habit.sentence} /><//>`} />
    <${Part} title=${T.learned.impressions} hint=${T.learned.impressionsHint} of=${impressions} show=${trait => html`
      <${Impression} key=${trait.id} trait=${trait} />`} />
  </section>`;
}

/** A rule in plain words; it waits among the proposals until it is confirmed there. */
function Declare() {
  const [text, setText] = useState('');
  const send = async () => {
    const {rule, is_new: isNew} = await api.declare(text.trim());
    await loadLearned();
    setText('');
    note({text: isNew ? T.learned.declared : T.learned.wasThere, hint: rule.rule});
  };
  return html`<${Form} class="declare" do=${send} yes=${T.learned.declareYes} isReady=${Boolean(text.trim())}>
    <label for="declare">${T.learned.declare}</label>
    <input id="declare" dir="auto" maxlength="300" autocomplete="off" placeholder=${T.learned.declareHint} value=${text} onInput=${event => setText(event.currentTarget.value)} />
  <//>`;
}

const warnings = rule => [...(rule.suspect ? [T.learned.suspect] : []), ...rule.conflicts];

const Part = ({title, hint, of, show}) => of.length > 0 && html`
  <h3>${title}</h3>${hint && html`<p class="hint">${hint}</p>`}<ul class="known">${of.map(show)}</ul>`;

const Known = ({id, text, warnings: told = [], below, children}) => html`<li>
  <p dir="auto">${text}</p>
  ${told.map(each => html`<p class="warning" key=${each} dir="auto">${each}</p>`)}
  <div class="buttons">${children}<${Why} id=${id} about=${text} /></div>
  ${below}
</li>`;

function Switch({rule}) {
  const isOn = rule.state === 'on';
  const turn = async () => {
    await api.rule(rule.id, isOn ? 'off' : 'on');
    await loadLearned();
  };
  return html`<button type="button" role="switch" class="switch" aria-checked=${isOn} aria-label=${`${T.learned.inForce}: ${rule.rule}`}
    onClick=${() => turn().catch(tell)}><span aria-hidden="true"></span></button>`;
}

/** Whether another of its kind is applied before it; they are listed in that order. */
const isBehind = (rule, rules) => rules.find(other => other.kind === rule.kind) !== rule;

function First({rule}) {
  const move = async () => {
    await api.rule(rule.id, 'first');
    await loadLearned();
  };
  return html`<${Action} icon="arrow-up" aria-label=${`${T.learned.first}: ${rule.rule}`} do=${move} onError=${tell}>${T.learned.first}<//>`;
}

const DryRun = ({rule}) => html`<${Unfold} text=${T.learned.wouldChange} about=${rule.rule} icon="history"><${Changes} id=${rule.id} /><//>`;

function Changes({id}) {
  const {data, error, reload} = useLoaded(() => api.dryRun(id), [id]);
  if (!data) return html`<${Problem} error=${error} retry=${reload} />`;
  const {days, changes} = data;
  return html`<div class="why-answer would" aria-live="polite">
    <p>${changes.length ? T.learned.wouldHave(days) : T.learned.wouldNothing(days)}</p>
    <ul class="evidence">${changes.map((change, at) => html`<li key=${at}>
      <${Markdown} of=${change.before_html} />
      <p class="hint">${T.learned.instead}</p>
      <${Markdown} of=${change.after_html} class="after" />
      ${change.memory && html`<a class="button" href=${`#memory/${change.memory}`}>${T.why.open}</a>`}</li>`)}</ul>
  </div>`;
}

function Impression({trait: {id, statement}}) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(statement);
  const save = async () => {
    const now = await api.correct(id, text.trim());
    await loadLearned();
    setOpen(false);
    note({text: T.learned.corrected, hint: now.statement});
  };
  const cancel = html`<button type="button" class="button" onClick=${() => setOpen(false)}>${T.cancel}</button>`;
  return html`<${Known} id=${id} text=${statement} below=${isOpen && html`
      <${Form} class="correction" do=${save} yes=${T.memory.save} isReady=${Boolean(text.trim())} beside=${cancel}>
        <label for=${`text-${id}`}>${T.learned.correctLabel}</label>
        <input id=${`text-${id}`} dir="auto" maxlength="200" autocomplete="off" value=${text} ref=${focused} onInput=${event => setText(event.currentTarget.value)} />
      <//>`}>
    ${!isOpen && html`<${Action} icon="pencil" aria-label=${`${T.learned.correct}: ${statement}`} do=${() => { setText(statement); setOpen(true); }}>${T.learned.correct}<//>`}
    <${Delete} layer="impressions" id=${id} text=${statement} />
  <//>`;
}

const focused = field => field?.focus(); // the same function each time, so once, when it appears

function Delete({layer, id, text}) {
  const [isAsking, setAsking] = useState(false);
  const erase = async () => {
    await api.unlearn(layer, id);
    note({text: T.learned.deleted});
    await loadLearned();
  };
  return html`<button type="button" class="button danger" aria-label=${`${T.learned.delete}: ${text}`} onClick=${() => setAsking(true)}>
      <${Icon} name="trash-2" /><span>${T.learned.delete}</span></button>
    ${isAsking && html`<${Confirm} question=${T.learned.deleteAsk[layer](text)} yes=${T.learned.delete} do=${erase} onError=${tell}
      onClose=${() => setAsking(false)} />`}`;
}
