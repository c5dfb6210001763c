// Requests to the daemon. Every failure is an ApiError with words for people.
import {T} from './texts.js';

const TIMEOUT_MS = 20000;

export class ApiError extends Error {
  constructor(code, message, hint, status) {
    super(message);
    Object.assign(this, {code, hint, status});
  }
}

async function ask(method, path, body, signal) {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const options = {method, signal: limit, cache: 'no-store', headers: {'X-Junod': '1'}};
  if (body !== undefined) {
    options.headers['Content-Type'] = 'application/json';
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError('unreachable', T.errors.unreachable, T.errors.unreachableHint, 0);
  }
  if (signal?.aborted) throw new ApiError('overtaken', '', '', 0);
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401 && location.pathname !== '/pair') location.assign('/pair');
  if (!response.ok) {
    throw new ApiError(answer.error ?? 'internal', answer.message ?? T.errors.strange, answer.hint ?? '', response.status);
  }
  return answer;
}

export const get = (path, signal) => ask('GET', path, undefined, signal);
export const post = (path, body = {}) => ask('POST', path, body);
export const remove = path => ask('DELETE', path);

const memory = (id, verb = '') => `/api/memories/${encodeURIComponent(id)}${verb && '/' + verb}`;
export const api = {
  home: () => get('/api/home'),
  ear: () => get('/api/ear'),
  find: (query, signal) => get('/api/memories?' + new URLSearchParams(query), signal),
  add: text => post('/api/memories', {text}),
  memory: id => get(memory(id)),
  history: id => get(memory(id, 'history')),
  change: (id, verb, body) => post(memory(id, verb), body),
  learned: () => get('/api/learned'),
  why: id => get(`/api/why/${encodeURIComponent(id)}`),
  answer: (id, word) => post(`/api/habits/${encodeURIComponent(id)}/${word}`),
  declare: text => post('/api/rules', {text}),
  rule: (id, verb) => post(`/api/rules/${encodeURIComponent(id)}/${verb}`),
  dryRun: id => get(`/api/rules/${encodeURIComponent(id)}/dry-run`),
  correct: (id, text) => post(`/api/impressions/${encodeURIComponent(id)}/correct`, {text}),
  unlearn: (layer, id) => remove(`/api/${layer}/${encodeURIComponent(id)}`),
  setup: () => get('/api/setup'),
  tick: (id, item, done) => post(`/api/shopping/${encodeURIComponent(id)}/tick`, {item, done}),
  switchEar: (verb, body) => post(`/api/ear/${verb}`, body),
};
