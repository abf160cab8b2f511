import type { MutationCache } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PointerTarget, type PressAction, PressTarget, SETTLE_MS } from './press-target';

const CONTROL =
  'a[href], button, input, select, textarea, label, summary, [role="button"], [role="menuitem"], [role="option"], ' +
  '[role="tab"], [draggable="true"], [data-clickable], [data-item], [data-slot]';
/** Controls whose text does not affect what they do. */
const UNLABELLED = 'input, select, textarea, label, tr, li, [data-slot]';
const TEXT_FIELDS = 'textarea, [contenteditable="true"]';
const FIELDS = `input:not([type="checkbox"], [type="radio"]), select, ${TEXT_FIELDS}`;
/** Lists whose rows move when a row is added or removed. */
const ROWS = 'tbody, ul, ol';
/** The events of a press, in this order. */
const PRESS_EVENTS = ['pointerdown', 'mousedown', 'dragstart', 'pointerup', 'mouseup', 'click', 'dblclick'];
/** Events after which another element may be under the pointer, besides DOM mutations. */
const LAYOUT_EVENTS = ['scroll', 'resize', 'load', 'transitionend', 'animationend'];
/** A call that starts within this time after a press, in ms, is attributed to the press. */
const CALL_START_MS = 1_000;

/**
 * usePressGuard ignores presses that the user cannot have intended. A press is ignored for SETTLE_MS after the element
 * under a resting pointer, or the focused element, changed its action: a row moved there, a dialog opened or closed,
 * another page was shown, a button changed its label. A control whose call is running is inert until the call ends. A
 * press after the pointer moved onto a control is never ignored, nor is a repeated press on an unchanged control.
 */
export function usePressGuard(calls: MutationCache): void {
  useEffect(() => guardPresses(calls), [calls]);
}

/** Installs the guard before all other listeners and returns a function that removes it. */
export function guardPresses(calls: MutationCache): () => void {
  const pointer = new PointerTarget();
  const focus = new PressTarget();
  /** The time when the rows of a list last moved. */
  const rowsMovedAt = new WeakMap<Element, number>();
  const pressed = new PressedControl();
  const busy = new BusyControls();
  let stopped = false;
  let down: PressAction | null = null;
  /** True if the last key was Enter or Space: a focus change is then not the user's. */
  let activated = false;
  /** True if a call has started since. */
  let callStarted = false;
  /** The key whose keyup event is also stopped. */
  let stoppedKey = '';

  let outdated = false;
  let frame = 0;
  const readActions = () => {
    outdated = false;
    const now = performance.now();
    if (pointer.at) pointer.update(actionOf(document.elementFromPoint(pointer.at.x, pointer.at.y)), now);
    const { activeElement } = document;
    if (activated && callStarted && activeElement !== document.body)
      focus.update(actionOf(activeElement), now);
  };
  const readActionsSoon = () => {
    outdated = true;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      readActions();
    });
  };
  const readActionsIfOutdated = () => {
    if (outdated) readActions();
  };
  const content = new MutationObserver((records) => {
    const now = performance.now();
    for (const { type, target, nextSibling } of records) {
      if (type === 'childList' && nextSibling && (target as Element).matches(ROWS))
        rowsMovedAt.set(target as Element, now);
    }
    readActionsSoon();
  });

  const mayPress = (event: PointerEvent, target: Element): boolean => {
    const control = target.closest(CONTROL);
    if (control && busy.has(control)) return false;
    if (!pointer.isSettled(event.timeStamp)) return false;
    const list = target.closest(ROWS);
    const rowsMoved = (list && rowsMovedAt.get(list)) ?? Number.NEGATIVE_INFINITY;
    return event.timeStamp - rowsMoved >= SETTLE_MS || !pointer.wasMoving(rowsMoved);
  };
  const onMove = (event: PointerEvent) => {
    const { clientX: x, clientY: y, target, timeStamp, pointerType } = event;
    // Browsers also fire pointermove when only the content has moved.
    if (pointerType === 'touch' || (x === pointer.at?.x && y === pointer.at.y)) return;
    readActionsIfOutdated();
    pointer.move({ x, y }, actionOf(target), timeStamp);
  };
  const onLeave = ({ pointerType, relatedTarget }: PointerEvent) => {
    if (pointerType !== 'touch' && !relatedTarget) pointer.at = null;
  };
  const onDown = (event: PointerEvent, target: Element) => {
    const { clientX: x, clientY: y, timeStamp, pointerType } = event;
    activated = false;
    readActionsIfOutdated();
    if (x === pointer.at?.x && y === pointer.at.y) pointer.update(actionOf(target), performance.now());
    else pointer.move({ x, y }, actionOf(target), timeStamp, pointerType === 'touch' ? 'touch' : 'mouse');
    stopped = !mayPress(event, target);
    down = actionOf(target);
    pointer.press();
  };
  /** A click may be caused by a pointer, by a key, or by software such as a screen reader. */
  const onClick = (event: MouseEvent, target: Element) => {
    const control = target.closest(CONTROL);
    const action = actionOf(target);
    if (event.detail === 0) stopped = false;
    // The control changed its label between pointerdown and click.
    else if (action && down?.node === action.node && down.name !== action.name) stopped = true;
    if (control && busy.has(control)) stopped = true;
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
    const activates = key === 'Enter' ? !target.matches(TEXT_FIELDS) : key === ' ' && !target.matches(FIELDS);
    if (!activates) {
      activated = false;
      focus.choose(actionOf(document.activeElement));
      return;
    }
    readActionsIfOutdated();
    if ((repeat && key === 'Enter') || !focus.isSettled(timeStamp)) {
      stoppedKey = key;
      stop(event);
    } else {
      activated = true;
      callStarted = false;
    }
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== stoppedKey) return;
    stoppedKey = '';
    stop(event);
  };
  /**
   * A second Enter must not act on an element that replaced the one the first Enter changed, nor in a dialog that the
   * first one opened. It may continue in a form.
   */
  const onFocus = ({ target, relatedTarget: from }: FocusEvent) => {
    const dialog = target instanceof Element ? target.closest('[role="dialog"]') : null;
    const opened = dialog !== null && !(from instanceof Node && dialog.contains(from));
    if (activated && (opened || (callStarted && !from))) focus.update(actionOf(target), performance.now());
    else focus.choose(actionOf(target));
  };
  const onInput = () => {
    const now = performance.now();
    pressed.set(null);
    pointer.typed(now);
    focus.typed(now);
  };

  const listeners = new AbortController();
  const options = { capture: true, passive: false, signal: listeners.signal };
  for (const type of PRESS_EVENTS) window.addEventListener(type, onPress, options);
  for (const type of LAYOUT_EVENTS)
    window.addEventListener(type, readActionsSoon, { ...options, passive: true });
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
    if (action.type === 'pending') callStarted = true;
    if (action.type === 'pending' && control) busy.begin(mutation, control);
    if (action.type === 'success' || action.type === 'error') {
      const free = busy.end(mutation);
      if (!free) return;
      pointer.callEnded(free, performance.now());
      focus.callEnded(free, performance.now());
    }
  });
  return () => {
    listeners.abort();
    content.disconnect();
    cancelAnimationFrame(frame);
    unsubscribe();
  };
}

/** PressedControl is the control that was pressed last, while a new call can still be attributed to it. */
class PressedControl {
  #control: Element | null = null;
  #at = 0;

  set(control: Element | null): void {
    this.#control = control?.matches(FIELDS) ? null : control;
    this.#at = performance.now();
  }

  get(): Element | null {
    return performance.now() - this.#at < CALL_START_MS ? this.#control : null;
  }
}

/** BusyControls are the controls with running calls. They remain focusable, with aria-disabled. */
class BusyControls {
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

  /** Returns the control if this was the last of its calls. */
  end(call: object): Element | null {
    const control = this.#controls.get(call);
    this.#controls.delete(call);
    if (!control || this.has(control)) return null;
    if (this.#marked.delete(control)) control.removeAttribute('aria-disabled');
    return control;
  }
}

/** Returns the action of a press on the element. Outside of controls it is the page or dialog that contains it. */
function actionOf(target: EventTarget | null): PressAction | null {
  if (!(target instanceof Element)) return null;
  const control = target.closest(CONTROL);
  if (!control) return { node: surfaceOf(target), name: '' };
  return { node: control, name: labelOf(control) };
}

/** A link is identified by its target, since numbers in its text may change. */
function labelOf(control: Element): string {
  if (control.matches(UNLABELLED)) return '';
  return (
    control.getAttribute('href') ?? control.getAttribute('aria-label') ?? control.textContent?.trim() ?? ''
  );
}

/** Returns the top-level ancestor: the app, a dialog, its backdrop or a menu. */
function surfaceOf(element: Element): Element {
  const parent = element.parentElement;
  if (!parent || parent === document.body || parent.matches('#root, [data-portal]')) return element;
  return surfaceOf(parent);
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
