// Finds places for the stars, apart from the page so that it stays smooth, and then ends.
import {forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY} from './vendor/d3-force.js';

const TICKS = 260;
const TELL_EVERY = 4;

onmessage = async ({data: {nodes, links, ratio, isSparse}}) => {
  const stars = nodes.map(({radius, at}) => (at ? {radius, x: at[0], y: at[1]} : {radius}));
  const pull = 0.05;
  const room = isSparse ? {apart: 44, link: 110, repel: -420} : {apart: 7, link: 46, repel: -70}; // words need room
  const simulation = forceSimulation(stars)
    .force('repel', forceManyBody().strength(room.repel).distanceMax(420))
    .force('links', forceLink(links).distance(room.link).strength(0.35))
    .force('x', forceX(0).strength(pull))
    .force('y', forceY(0).strength(pull * Math.max(1, ratio) ** 1.6))
    .force('apart', forceCollide(star => star.radius + room.apart))
    .alphaDecay(1 - 0.001 ** (1 / TICKS))
    .stop();
  for (let tick = 1; tick <= TICKS; tick++) {
    simulation.tick();
    if (tick % TELL_EVERY === 0 && tick < TICKS) {
      tell(stars, false);
      await new Promise(resolve => setTimeout(resolve, 12)); // a calm drift, and no flood of messages
    }
  }
  tell(stars, true);
};

function tell(stars, isLast) {
  const xy = new Float32Array(stars.length * 2);
  stars.forEach((star, at) => {
    xy[2 * at] = star.x;
    xy[2 * at + 1] = star.y;
  });
  postMessage({xy, isLast}, [xy.buffer]);
}
