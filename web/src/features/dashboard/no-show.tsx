import { Text } from '@mantine/core';
import { IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatNumber, formatRate } from '@/lib/number';
import { formatDateRange } from '@/lib/thai-date';
import type { Dashboard } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { ListLink } from './list-link';
import { rate } from './numbers';

/** The no-show rate and its trend. */
export function NoShow({ dashboard: { noShow, noShowBefore } }: { dashboard: Dashboard }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.dashboard;
  const period = ({ dateFrom, dateTo }: Dashboard['noShow']) => formatDateRange(dateFrom, dateTo, language);
  const [now, before] = [
    rate(noShow.noShow, noShow.expected),
    rate(noShowBefore.noShow, noShowBefore.expected),
  ];
  if (noShow.expected === 0) {
    return (
      <Card title={words.noShowRate}>
        <Text c="dimmed">{words.noShowNone}</Text>
      </Card>
    );
  }
  return (
    <Card title={words.noShowRate}>
      <div className={classes.rates}>
        <div className={classes.rate}>{formatRate(now)}</div>
        <Text>
          <ListLink
            filter={{ from: noShow.dateFrom, to: noShow.dateTo, status: 'NO_SHOW' }}
            className={classes.figure}
          >
            {words.noShowOf(noShow.noShow, noShow.expected)}
          </ListLink>{' '}
          · {period(noShow)}
        </Text>
        {noShowBefore.expected > 0 && (
          <Text c="dimmed">
            <Change points={Math.round((now - before) * 10) / 10} />{' '}
            {words.noShowBefore(formatRate(before), period(noShowBefore))}
          </Text>
        )}
      </div>
    </Card>
  );
}

function Change({ points }: { points: number }) {
  const t = useT();
  if (points === 0) return <span className={classes.change}>{t.dashboard.noShowSame} ·</span>;
  const Icon = points < 0 ? IconTrendingDown : IconTrendingUp;
  const trendText = points < 0 ? t.dashboard.noShowLess : t.dashboard.noShowMore;
  return (
    <span className={classes.change}>
      <Icon size={16} aria-hidden /> {trendText(formatNumber(Math.abs(points), 1, 1))} ·
    </span>
  );
}
