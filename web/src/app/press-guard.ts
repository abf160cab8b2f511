import type { MutationCache } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Meaning, PointerSpot, SETTLE_MS, Spot } from './press-spot';

const CONTROL =
  'a[href], button, input, select, textarea, label, summary, [role="button"], [role="menuitem"], [role="option"], ' +
  '[role="tab"], [draggable="true"], [data-clickable], [data-item], [data-slot]';
/** Controls that stay what they are whatever is written in them. */
const NAMELESS = 'input, select, textarea, label, tr, li, [data-slot]';
const TYPED_INTO = 'textarea, [contenteditable="true"]';
const FIELDS = `input:not([type="checkbox"], [type="radio"]), select, ${TYPED_INTO}`;
/** Lists whose rows slide when one comes or goes. */
const ROWS = 'tbody, ul, ol';
/** What a press makes the browser tell of, in this order. */
const PRESS_EVENTS = ['pointerdown', 'mousedown', 'dragstart', 'pointerup', 'mouseup', 'click', 'dblclick'];
/** What can change what is under the pointer besides the page's content. */
const LAYOUT_EVENTS = ['scroll', 'resize', 'load', 'transitionend', 'animationend'];
/** A call that begins within this time after a press, in ms, was begun by it. */
const BEGINS_MS = 1_000;

/**
 * usePressGuard keeps a press from doing what the user did not see. A press does nothing within SETTLE_MS after what is
 * under a resting pointer, or has the focus, came to mean something else: a row slid there, a dialog opened or closed, a
 * page came, a button was given another name. A control that began a call is inert until the call has ended. Moving onto
 * a control is a choice and is never held up; neither is pressing again what has stayed the same.
 */
export function usePressGuard(calls: MutationCache): void {
  useEffect(() => guardPresses(calls), [calls]);
}

/** Installs the guard ahead of every other listener; returns how to remove it. */
export function guardPresses(calls: MutationCache): () => void {
  const pointer = new PointerSpot();
  const focus = new Spot();
  /** When the rows of a list last slid. */
  const slidAt = new WeakMap<Element, number>();
  const pressed = new PressedControl();
  const acting = new ActingControls();
  let stopped = false;
  let down: Meaning | null = null;
  /** The last key was Enter or Space: a focus that moves now was not moved by the user. */
  let activated = false;
  /** A call began since. */
  let calling = false;
  /** The key whose release is stopped, too. */
  let heldKey = '';

  let outdated = false;
  let frame = 0;
  const look = () => {
    outdated = false;
    const now = performance.now();
    if (pointer.at) pointer.see(meaningOf(document.elementFromPoint(pointer.at.x, pointer.at.y)), now);
    const { activeElement } = document;
    if (activated && calling && activeElement !== document.body) focus.see(meaningOf(activeElement), now);
  };
  const lookSoon = () => {
    outdated = true;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      look();
    });
  };
  const lookIfOutdated = () => {
    if (outdated) look();
  };
  const content = new MutationObserver((records) => {
    const now = performance.now();
    for (const { type, target, nextSibling } of records) {
      if (type === 'childList' && nextSibling && (target as Element).matches(ROWS))
        slidAt.set(target as Element, now);
    }
    lookSoon();
  });

  const mayPress = (event: PointerEvent, target: Element): boolean => {
    const control = target.closest(CONTROL);
    if (control && acting.has(control)) return false;
    if (!pointer.isSettled(event.timeStamp)) return false;
    const list = target.closest(ROWS);
    const slid = (list && slidAt.get(list)) ?? Number.NEGATIVE_INFINITY;
    return event.timeStamp - slid >= SETTLE_MS || !pointer.wasMoving(slid);
  };
  const onMove = (event: PointerEvent) => {
    const { clientX: x, clientY: y, target, timeStamp, pointerType } = event;
    // Browsers also tell of a move when only the content has moved.
    if (pointerType === 'touch' || (x === pointer.at?.x && y === pointer.at.y)) return;
    lookIfOutdated();
    pointer.move({ x, y }, meaningOf(target), timeStamp);
  };
  const onLeave = ({ pointerType, relatedTarget }: PointerEvent) => {
    if (pointerType !== 'touch' && !relatedTarget) pointer.at = null;
  };
  const onDown = (event: PointerEvent, target: Element) => {
    const { clientX: x, clientY: y, timeStamp, pointerType } = event;
    activated = false;
    lookIfOutdated();
    if (x === pointer.at?.x && y === pointer.at.y) pointer.see(meaningOf(target), performance.now());
    else pointer.move({ x, y }, meaningOf(target), timeStamp, pointerType === 'touch' ? 'touch' : 'mouse');
    stopped = !mayPress(event, target);
    down = meaningOf(target);
    pointer.press();
  };
  /** The click may come of a press, of a key, or of a program such as a screen reader. */
  const onClick = (event: MouseEvent, target: Element) => {
    const control = target.closest(CONTROL);
    const meaning = meaningOf(target);
    if (event.detail === 0) stopped = false;
    // What was pressed became something else before it was let go of.
    else if (meaning && down?.node === meaning.node && down.name !== meaning.name) stopped = true;
    if (control && acting.has(control)) stopped = true;
    if (!stopped) pressed.set(control);
  };
  const onPress = (event: Event) => {
    const { target } = event;
    if (!(target instanceof Element) || !(event instanceof MouseEvent) || event.button !== 0) return;
    if (event.type === 'pointerdown') onDown(event as PointerEvent, target);
    if (event.type === 'click') onClick(event, target);
    if (stopped) stop(event);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, repeat, timeStamp, target } = event;
    if (!(target instanceof Element)) return;
    const activates = key === 'Enter' ? !target.matches(TYPED_INTO) : key === ' ' && !target.matches(FIELDS);
    if (!activates) {
      activated = false;
      focus.choose(meaningOf(document.activeElement));
      return;
    }
    lookIfOutdated();
    if ((repeat && key === 'Enter') || !focus.isSettled(timeStamp)) {
      heldKey = key;
      stop(event);
    } else {
      activated = true;
      calling = false;
    }
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== heldKey) return;
    heldKey = '';
    stop(event);
  };
  /**
   * The second Enter of two must not act on what took the place of what the first one changed, nor in a dialog that it
   * opened. It may go on with a form.
   */
  const onFocus = ({ target, relatedTarget: from }: FocusEvent) => {
    const dialog = target instanceof Element ? target.closest('[role="dialog"]') : null;
    const opened = dialog !== null && !(from instanceof Node && dialog.contains(from));
    if (activated && (opened || (calling && !from))) focus.see(meaningOf(target), performance.now());
    else focus.choose(meaningOf(target));
  };
  const onInput = () => {
    const now = performance.now();
    pressed.set(null);
    pointer.typed(now);
    focus.typed(now);
  };

  const listening = new AbortController();
  const options = { capture: true, passive: false, signal: listening.signal };
  for (const type of PRESS_EVENTS) window.addEventListener(type, onPress, options);
  for (const type of LAYOUT_EVENTS) window.addEventListener(type, lookSoon, { ...options, passive: true });
  window.addEventListener('pointermove', onMove, options);
  window.addEventListener('pointerout', onLeave, options);
  window.addEventListener('keydown', onKeyDown, options);
  window.addEventListener('keyup', onKeyUp, options);
  window.addEventListener('focusin', onFocus, options);
  window.addEventListener('input', onInput, options);
  content.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  const unsubscribe = calls.subscribe((event) => {
    if (event.type !== 'updated') return;
    const { mutation, action } = event;
    const control = pressed.get();
    if (action.type === 'pending') calling = true;
    if (action.type === 'pending' && control) acting.begin(mutation, control);
    if (action.type === 'success' || action.type === 'error') {
      const free = acting.end(mutation);
      if (!free) return;
      pointer.callEnded(free, performance.now());
      focus.callEnded(free, performance.now());
    }
  });
  return () => {
    listening.abort();
    content.disconnect();
    cancelAnimationFrame(frame);
    unsubscribe();
  };
}

/** PressedControl is the control that was pressed last, for as long as what happens now may come of it. */
class PressedControl {
  #control: Element | null = null;
  #at = 0;

  set(control: Element | null): void {
    this.#control = control?.matches(FIELDS) ? null : control;
    this.#at = performance.now();
  }

  get(): Element | null {
    return performance.now() - this.#at < BEGINS_MS ? this.#control : null;
  }
}

/** ActingControls are the controls whose calls run. They stay focusable, and say that they are disabled. */
class ActingControls {
  readonly #controls = new Map<object, Element>();
  readonly #marked = new Set<Element>();

  has(control: Element): boolean {
    return [...this.#controls.values()].includes(control);
  }

  begin(call: object, control: Element): void {
    this.#controls.set(call, control);
    if (control.hasAttribute('aria-disabled')) return;
    control.setAttribute('aria-disabled', 'true');
    this.#marked.add(control);
  }

  /** Returns the control when this was the last of its calls. */
  end(call: object): Element | null {
    const control = this.#controls.get(call);
    this.#controls.delete(call);
    if (!control || this.has(control)) return null;
    if (this.#marked.delete(control)) control.removeAttribute('aria-disabled');
    return control;
  }
}

/** What a press on the element does; outside of controls the page or the dialog that it lies in. */
function meaningOf(target: EventTarget | null): Meaning | null {
  if (!(target instanceof Element)) return null;
  const control = target.closest(CONTROL);
  if (!control) return { node: surfaceOf(target), name: '' };
  return { node: control, name: nameOf(control) };
}

/** A link is known by where it leads: figures in it may count on. */
function nameOf(control: Element): string {
  if (control.matches(NAMELESS)) return '';
  return (
    control.getAttribute('href') ?? control.getAttribute('aria-label') ?? control.textContent?.trim() ?? ''
  );
}

/** The app, a dialog, its backdrop, a menu: what lies directly in the page or in the place for overlays. */
function surfaceOf(element: Element): Element {
  const parent = element.parentElement;
  if (!parent || parent === document.body || parent.matches('#root, [data-portal]')) return element;
  return surfaceOf(parent);
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
