// A phone's first visit: the code, then the page itself.
import {html, render, useState} from './vendor/preact.js';
import {post} from './api.js';
import {Form} from './parts.js';
import {T} from './texts.js';

function Pair() {
  const [code, setCode] = useState(location.hash.slice(1));
  const [name, setName] = useState('');
  const pair = async () => {
    await post('/api/pair', {code: code.trim(), name: name.trim() || T.pair.name});
    location.replace('/');
  };
  return html`<main class="pair"><div class="card">
    <h1>${T.pair.title}</h1>
    <p class="hint">${T.pair.intro}</p>
    <${Form} do=${pair} yes=${T.pair.go}>
      <div class="field"><label for="code">${T.pair.code}</label>
        <input id="code" required maxlength="32" autocomplete="one-time-code" autocapitalize="characters" value=${code} onInput=${event => setCode(event.currentTarget.value)} /></div>
      <div class="field"><label for="name">${T.pair.name}</label>
        <input id="name" maxlength="64" dir="auto" placeholder=${T.pair.namePlaceholder} value=${name} onInput=${event => setName(event.currentTarget.value)} /></div>
    <//>
  </div></main>`;
}

render(html`<${Pair} />`, document.getElementById('app'));
