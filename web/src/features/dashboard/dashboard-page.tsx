import { Button, Skeleton, Text } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, memo, Suspense } from 'react';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { retryImport } from '@/lib/retry-import';
import { addDays, formatLongDate } from '@/lib/thai-date';
import { ErrorAlert } from '@/ui/error-alert';
import { MessagePage } from '@/ui/message-page';
import print from '@/ui/print.module.css';
import { PrintButton } from '@/ui/print-button';
import { Turner } from '@/ui/turner';
import { useAfterPaint } from '@/ui/use-after-paint';
import { useIdle } from '@/ui/use-idle';
import { useToday } from '@/ui/use-today';
import { AlertList } from './alerts';
import { type Dashboard, dashboardQuery } from './api';
import { Arrivals } from './arrivals';
import classes from './dashboard.module.css';
import { Ahead, Trend } from './days';
import { Figures } from './figures';
import { NoShow } from './no-show';
import { ServiceLoads } from './service-loads';

const ThaiDateInput = lazy(async () => ({
  default: (await retryImport(() => import('@/ui/thai-date-input'))).ThaiDateInput,
}));

const route = getRouteApi('/_signed-in/app/dashboard');

/** The overview of a day, which is in the address. All users see the page; its figures need permissions. */
export function DashboardPage() {
  const t = useT();
  const can = useCan();
  if (!can('DASHBOARD.SHOW')) {
    return (
      <MessagePage icon={IconHandStop} title={t.dashboard.welcome}>
        {t.dashboard.welcomeHint}
      </MessagePage>
    );
  }
  return <Overview />;
}

function Overview() {
  const t = useT();
  const today = useToday();
  const { date = today } = route.useSearch();
  const { data, error, refetch, isPlaceholderData } = useQuery(dashboardQuery(date));
  return (
    <div className={classes.page}>
      <Toolbar date={date} today={today} />
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data && !error && <Loading />}
      {data && (
        <div
          className={classes.grid}
          aria-busy={isPlaceholderData}
          data-names={data.arrivals ? true : undefined}
        >
          <Cards dashboard={data} />
        </div>
      )}
      <span className="heard" role="status">
        {!data && !error ? t.app.loading : ''}
      </span>
    </div>
  );
}

/** Approximate heights of the sections while they load. */
const UPPER_HEIGHTS = [220, 220, 340, 340];
const LOWER_HEIGHTS = [400, 400, 90];

/**
 * Memoised, so that it renders for new figures only: a new day shows in the bar above at once, its figures when they
 * arrive. The other days, below the fold, have half of the page's links and render one frame later.
 */
const Cards = memo(function Cards({ dashboard }: { dashboard: Dashboard }) {
  const all = useAfterPaint(true, false);
  return (
    <>
      <Figures dashboard={dashboard} />
      <AlertList dashboard={dashboard} />
      <ServiceLoads dashboard={dashboard} />
      <Arrivals dashboard={dashboard} />
      {all ? (
        <>
          <Trend dashboard={dashboard} />
          <Ahead dashboard={dashboard} />
          <NoShow dashboard={dashboard} />
        </>
      ) : (
        LOWER_HEIGHTS.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is constant.
          <div key={index} style={{ height }} aria-hidden />
        ))
      )}
    </>
  );
});

function Toolbar({ date, today }: { date: string; today: string }) {
  const t = useT();
  const { language } = useLanguage();
  const navigate = route.useNavigate();
  const go = (day: string | null) =>
    void navigate({ search: { date: day && day !== today ? day : undefined } });
  const day = formatLongDate(date, language);
  return (
    <div className={classes.toolbar}>
      <Text fw={600} size="md" className={classes.day}>
        {date === today ? t.dashboard.todayIs(day) : day}
      </Text>
      <Turner
        previous={t.dashboard.previousDay}
        next={t.dashboard.nextDay}
        size={36}
        onTurn={(step) => go(addDays(date, step))}
      >
        <Button variant="default" onClick={() => go(today)}>
          {t.dashboard.today}
        </Button>
      </Turner>
      <div className={`${classes.jump} ${print.screen}`}>
        {useIdle() && (
          <Suspense fallback={null}>
            <ThaiDateInput aria-label={t.dashboard.date} value={date} onChange={(next) => next && go(next)} />
          </Suspense>
        )}
      </div>
      <PrintButton variant="subtle" visibleFrom="xs">
        {t.dashboard.print}
      </PrintButton>
    </div>
  );
}

function Loading() {
  return (
    <div className={classes.grid} aria-hidden data-names>
      {[...UPPER_HEIGHTS, ...LOWER_HEIGHTS].map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is constant.
        <Skeleton key={index} h={height} radius="md" />
      ))}
    </div>
  );
}
