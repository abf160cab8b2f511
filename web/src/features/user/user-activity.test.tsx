import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { answerWith, success } from '@/test/server';
import { UserActivity } from './user-activity';

afterEach(() => vi.unstubAllGlobals());

const entry = (id: number, action: string, actorId: number | null, actorName: string) => ({
  id,
  at: '2026-11-15T02:30:00Z',
  actorId,
  actorName,
  action,
  outcome: 'OK',
});

test('names the registered user without an id, and the server', async () => {
  const items = [entry(2, 'session.end', null, 'system'), entry(1, 'user.register', null, 'อนงค์ สายสุวรรณ')];
  answerWith(success({ items, total: 2, page: 1, pageSize: 8 }));
  renderInApp(<UserActivity userId={7} />);
  const [ended, registered] = await screen.findAllByRole('listitem');
  expect(ended).toHaveTextContent('โดย ระบบ');
  expect(registered).toHaveTextContent('โดย อนงค์ สายสุวรรณ');
});
