// Times as people say them, in the household's zone.
import {T} from './texts.js';
import {app} from './state.js';

const formats = new Map();
function format(options) {
  const zone = app.get().zone;
  const key = JSON.stringify([zone, options]);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(T.locale, {timeZone: zone, ...options}));
  return formats.get(key);
}

const CLOCK = {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'};

/** The daemon's time: a tablet's own clock may be wrong. */
export const now = () => new Date(Date.now() + app.get().clockOffsetMs);
export const clock = moment => format(CLOCK).format(moment);
export const longDay = moment => format({weekday: 'long', day: 'numeric', month: 'long'}).format(moment);
export const plainDay = isoDay => new Intl.DateTimeFormat(T.locale, {weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC'})
  .format(new Date(isoDay + 'T00:00:00Z'));
const dayKey = moment => format({year: 'numeric', month: '2-digit', day: '2-digit'}).format(moment);
const DAY_MS = 86400000;

/** 'today', 'tomorrow', 'Friday', 'Tue 31 March' */
export function dayName(text) {
  const moment = new Date(text);
  const away = [-1, 0, 1].find(days => dayKey(new Date(+now() + days * DAY_MS)) === dayKey(moment));
  if (away !== undefined) return [T.when.yesterday, T.when.today, T.when.tomorrow][away + 1];
  const days = (moment - now()) / DAY_MS;
  if (days > 0 && days < 6) return format({weekday: 'long'}).format(moment);
  const year = format({year: 'numeric'});
  const isThisYear = year.format(moment) === year.format(now());
  return format({weekday: 'short', day: 'numeric', month: 'long', ...(isThisYear ? {} : {year: 'numeric'})}).format(moment);
}

export const moment = text => `${dayName(text)}, ${clock(new Date(text))}`;

/** When a memory ends. Midnight is the end of the day before. */
export function until(text) {
  if (!text) return T.when.stays;
  const end = new Date(text);
  if (clock(end) === '00:00') return T.when.untilEndOf(dayName(new Date(+end - 1000)));
  return T.when.until(moment(text));
}

export function ago(seconds) {
  if (seconds < 10) return T.when.justNow;
  if (seconds < 90) return T.when.secondsAgo(Math.round(seconds / 5) * 5);
  if (seconds < 5400) return T.when.minutesAgo(Math.round(seconds / 60));
  if (seconds < 129600) return T.when.hoursAgo(Math.round(seconds / 3600));
  return T.when.daysAgo(Math.round(seconds / 86400));
}
