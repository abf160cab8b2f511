import { formatNumber } from '@/lib/number';
import type {
  action as actionTexts,
  conflict as conflictTexts,
  date as dateTexts,
  download as downloadTexts,
  saveBar as saveBarTexts,
  sortable as sortableTexts,
  table as tableTexts,
  unsaved as unsavedTexts,
} from './ui.th';

export const table: typeof tableTexts = {
  ascending: 'Sorted ascending',
  descending: 'Sorted descending',
  sortBy: 'Sort by',
  sortedBy: (column) => `By ${column.toLowerCase()}`,
  range: (first, last, total) => `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`,
  total: (total) => `${formatNumber(total)} in all`,
  pages: (list) => `Pages of ${list.toLowerCase()}`,
  page: (page) => `Page ${page}`,
  pageSize: 'Rows per page',
  perPage: (size) => `${size} per page`,
  pageGone: 'There is nothing on this page any more',
  firstPage: 'Go to the first page',
  previous: 'Previous page',
  next: 'Next page',
};

export const date: typeof dateTexts = {
  placeholder: 'dd/mm/yyyy',
  example: 'For example 15/11/2026',
  unreadable: 'This is not a date',
  tooEarly: (first) => `Not before ${first}`,
  tooLate: (last) => `Not after ${last}`,
  openCalendar: (field) => `Pick ${field} from the calendar`,
  calendar: 'Calendar',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  previousYear: 'Previous year',
  nextYear: 'Next year',
  previousDecade: 'Previous ten years',
  nextDecade: 'Next ten years',
  monthLevelControl: 'Choose the month',
  yearLevelControl: 'Choose the year',
  justNow: 'Just now',
  minutesAgo: (count) => `${count} min ago`,
  hoursAgo: (count) => `${count} h ago`,
  yesterdayAt: (time) => `Yesterday ${time}`,
  period: 'Period',
  from: 'From',
  to: 'To',
  presets: {
    all: 'All time',
    today: 'Today',
    yesterday: 'Yesterday',
    lastSevenDays: 'Last 7 days',
    thisMonth: 'This month',
    custom: 'Custom',
  },
};

export const action: typeof actionTexts = {
  save: 'Save',
  back: 'Back',
  close: 'Close',
  edit: 'Edit',
  copy: 'Copy',
  copied: 'Copied',
  undo: 'Undo',
  clearSearch: 'Clear search',
  clearFilters: 'Clear filters',
  reason: 'Reason',
};

export const saveBar: typeof saveBarTexts = {
  title: 'What is about to be saved',
  count: (count) => `${count} changed, not saved yet`,
  nothing: 'Nothing changed yet',
  list: 'List of what is about to be saved',
  outdated:
    'Somebody else changed this meanwhile; where both changed the same, you will be asked before saving',
  discard: 'Discard changes',
};

export const sortable: typeof sortableTexts = {
  drag: 'Drag to change the order',
  byMouse: 'Drag, or use the arrow buttons, to change the order',
  byFinger: 'Tap the arrow buttons to change the order',
  up: (name) => `Move ${name} up`,
  down: (name) => `Move ${name} down`,
  moved: (name, place, total) => `${name} is number ${place} of ${total}`,
};

export const unsaved: typeof unsavedTexts = {
  title: 'Not saved yet',
  text: 'What you changed on this page is not saved. If you leave, it is lost',
  stay: 'Stay on this page',
  leave: 'Leave without saving',
};

export const conflict: typeof conflictTexts = {
  title: 'Somebody else changed this record',
  text: 'While you were editing, somebody else saved the same record. Choose the value for each field, then save again',
  mine: 'Mine',
  theirs: 'Latest saved',
  useTheirs: 'Use all the latest',
  saveChosen: 'Save what I chose',
};

export const download: typeof downloadTexts = {
  running: (size) => `Downloading, ${size} received`,
  starting: 'Preparing the file',
  cancel: 'Cancel the download',
  cancelled: 'The download was cancelled',
  done: (file) => `${file} was downloaded`,
};
