import { Button } from '@mantine/core';
import {
  type Icon,
  IconDeviceTv,
  IconLinkOff,
  IconMoon,
  IconVolume,
  IconVolumeOff,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { Language } from '@/i18n/language';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, formatTime, inHospital } from '@/lib/thai-date';
import { MessagePage } from '@/ui/message-page';
import { type Board, boardQuery, Revoked } from './api';
import classes from './display.module.css';
import { takeToken } from './token';
import { useCalls, useChime } from './use-calls';

/** The queue of a service on a waiting-room screen: numbers only, large, running unattended for weeks. */
export function DisplayPage({ service }: { service: string }) {
  const t = useT();
  const [token, setToken] = useState(() => takeToken(service));
  useEffect(() => {
    // Opening a new link in the same tab changes only the fragment.
    const take = () => setToken(takeToken(service));
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, [service]);
  if (!token) {
    return (
      <Message icon={IconDeviceTv} title={t.display.noToken}>
        {t.display.noTokenHint}
      </Message>
    );
  }
  return <Screen key={token} token={token} />;
}

function Message({ icon, title, children }: { icon: Icon; title: string; children?: ReactNode }) {
  const t = useT();
  return (
    <main className={classes.message}>
      <title>{t.display.title}</title>
      <MessagePage icon={icon} title={title} headingOrder={1}>
        {children}
      </MessagePage>
    </main>
  );
}

function Screen({ token }: { token: string }) {
  const t = useT();
  const { data: board, error, dataUpdatedAt } = useQuery(boardQuery(token));
  if (error instanceof Revoked) {
    return (
      <Message icon={IconLinkOff} title={t.display.revoked}>
        {t.display.revokedHint}
      </Message>
    );
  }
  if (!board) {
    return <Message icon={IconDeviceTv} title={error ? t.display.reconnecting : t.display.connecting} />;
  }
  return <BoardView board={board} lost={error !== null} receivedAt={dataUpdatedAt} />;
}

interface BoardViewProps {
  board: Board;
  /** The last request failed. */
  lost: boolean;
  receivedAt: number;
}

function BoardView({ board, lost, receivedAt }: BoardViewProps) {
  const t = useT();
  const { language } = useLanguage();
  const chime = useChime();
  const called = useCalls(board, chime.ring);
  const { service, serving, waiting, total, hospital } = board;
  const [name, hospitalName] =
    language === 'en'
      ? [service.nameEn || service.name, hospital.nameEn || hospital.name]
      : [service.name, hospital.name];
  const SoundIcon = chime.on ? IconVolume : IconVolumeOff;
  return (
    <main className={classes.screen}>
      <title>{`${t.display.title} ${name}`}</title>
      <header className={classes.head} style={{ borderColor: service.color }}>
        {hospital.logo && <img className={classes.logo} src={hospital.logo} alt="" />}
        <div className={classes.names}>
          <div className={classes.hospital}>{hospitalName}</div>
          <h1 className={classes.service}>{name}</h1>
          {service.location && <div className={classes.place}>{service.location}</div>}
        </div>
        <Clock ahead={new Date(board.at).getTime() - receivedAt} />
      </header>
      {service.active ? (
        <div className={classes.board}>
          <section className={classes.serving} aria-labelledby="serving">
            <h2 id="serving" className={classes.title}>
              {t.display.serving}
            </h2>
            {serving.length === 0 ? (
              <p className={classes.nobody}>{t.display.nobodyServing}</p>
            ) : (
              <ul className={classes.numbers}>
                {serving.slice(0, 5).map((number) => (
                  <li key={number} data-called={number === called || undefined}>
                    {number}
                  </li>
                ))}
              </ul>
            )}
          </section>
          <section className={classes.waiting} aria-labelledby="waiting">
            <h2 id="waiting" className={classes.title}>
              {t.display.waiting}
            </h2>
            {waiting.length === 0 ? (
              <p className={classes.nobody}>{t.display.nobodyWaiting}</p>
            ) : (
              <ol className={classes.next}>
                {waiting.map((number) => (
                  <li key={number}>{number}</li>
                ))}
              </ol>
            )}
            {total > waiting.length && (
              <p className={classes.more}>{t.display.more(total - waiting.length)}</p>
            )}
          </section>
        </div>
      ) : (
        <div className={classes.message}>
          <MessagePage icon={IconMoon} title={t.display.inactive}>
            {t.display.inactiveHint}
          </MessagePage>
        </div>
      )}
      <Banners banners={hospital.banners} />
      <footer className={classes.foot}>
        <span role="status">{called !== null && t.display.called(called)}</span>
        <span role="status" className={classes.lost}>
          {lost && `${t.display.reconnecting} · ${t.display.lastAt(timeAt(board.at, language))}`}
        </span>
        <Button
          variant="subtle"
          color="gray"
          c="dimmed"
          size="compact-sm"
          aria-pressed={chime.on}
          leftSection={<SoundIcon size={16} aria-hidden />}
          onClick={chime.toggle}
        >
          {chime.on ? t.display.soundOff : t.display.soundOn}
        </Button>
      </footer>
    </main>
  );
}

const timeAt = (instant: string, language: Language) => formatTime(inHospital(instant).time, language);

/** The hospital's time, because the screen's clock may be wrong. */
function Clock({ ahead }: { ahead: number }) {
  const { language } = useLanguage();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(tick);
  }, []);
  const { date, time } = inHospital(new Date(now + ahead));
  return (
    <div className={classes.clock}>
      <time className={classes.time}>{formatTime(time, language)}</time>
      <div>{formatLongDate(date, language)}</div>
    </div>
  );
}

const BANNER_MS = 10_000;

/** Shows the banners in position. */
function Banners({ banners }: { banners: Board['hospital']['banners'] }) {
  const [position, setPosition] = useState(0);
  useEffect(() => {
    const next = setInterval(() => setPosition((now) => now + 1), BANNER_MS);
    return () => clearInterval(next);
  }, []);
  const banner = banners[position % Math.max(banners.length, 1)];
  return banner ? <img className={classes.banner} src={banner.image} alt={banner.alt} /> : null;
}
