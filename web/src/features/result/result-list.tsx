import { Badge, Button, Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconDownload, IconEye, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type AppointmentDetails, appointmentKeys } from '@/entities/appointment/api';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDate, formatTime, inHospital } from '@/lib/thai-date';
import { fetchFile, formatBytes, saveFile } from '@/ui/download';
import { ErrorAlert } from '@/ui/error-alert';
import { FirstFew } from '@/ui/first-few';
import { ReasonDialog } from '@/ui/reason-dialog';
import { showDone, showFailure } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { deleteResult, filePath, patientResultsQuery, type Result, resultKeys } from './api';
import { FileDialog } from './file-view';
import classes from './result.module.css';

/** Patients with monthly visits have dozens; the latest matter. */
const RESULTS_SHOWN = 5;

/** The results of this visit. */
export function RecordedResults({ results }: { results: Result[] }) {
  const t = useT();
  return (
    <ResultCard title={t.result.recorded} empty={t.result.noneRecorded} results={results.toReversed()} />
  );
}

/** The results of the patient's other visits. */
export function PastResults({ visit }: { visit: AppointmentDetails }) {
  const t = useT();
  const { data, error, refetch } = useQuery(patientResultsQuery(visit.patientId, visit.id));
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={160} />;
  return (
    <ResultCard
      title={t.result.past}
      empty={t.result.nonePast}
      results={data.items.filter(({ appointmentId }) => appointmentId !== visit.id)}
      past
    />
  );
}

interface ResultCardProps {
  title: string;
  empty: string;
  results: Result[];
  past?: boolean;
}

function ResultCard({ title, empty, results, past = false }: ResultCardProps) {
  const t = useT();
  const queryClient = useQueryClient();
  const shown = useDialog<Result>();
  const removed = useDialog<Result>();
  return (
    <Card withBorder padding="md" component="section" aria-label={title}>
      <Title order={2} className={classes.heading}>
        {title}
      </Title>
      {results.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <FirstFew items={results} few={RESULTS_SHOWN}>
          {(few) => (
            <ul className={classes.results} aria-label={title}>
              {few.map((result) => (
                <ResultItem
                  key={result.id}
                  result={result}
                  past={past}
                  onShow={() => shown.open(result)}
                  onDelete={() => removed.open(result)}
                />
              ))}
            </ul>
          )}
        </FirstFew>
      )}
      <FileDialog result={shown.subject} opened={shown.opened} onClose={shown.close} />
      <ReasonDialog
        opened={removed.opened}
        onClose={removed.close}
        title={t.result.deleteTitle}
        text={removed.subject ? t.result.deleteText(summaryOf(t.result.types, removed.subject)) : ''}
        confirmLabel={t.result.delete}
        danger
        onConfirm={async (reason) => {
          if (!removed.subject) return;
          await deleteResult(removed.subject.id, reason);
          showDone(t.result.deleted);
          void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
          void queryClient.invalidateQueries({ queryKey: resultKeys.all });
        }}
      />
    </Card>
  );
}

const summaryOf = (types: Record<Result['type'], string>, { type, file, diagnosis }: Result) =>
  file?.name || diagnosis || types[type];

interface ResultItemProps {
  result: Result;
  past: boolean;
  onShow: () => void;
  onDelete: () => void;
}

function ResultItem({ result, past, onShow, onDelete }: ResultItemProps) {
  const t = useT();
  const nameOf = useServiceName();
  const can = useCan();
  const { language } = useLanguage();
  const { type, diagnosis, icd10, advice, followUpDate, file, service, date, createdByName, createdAt } =
    result;
  const made = inHospital(createdAt);
  const save = () =>
    fetchFile({ path: filePath(result.id), signal: new AbortController().signal, onProgress: () => {} }).then(
      saveFile,
      (error) => showFailure(t, error),
    );
  return (
    <li>
      <Group gap="xs">
        <Badge variant="light" size="lg" tt="none">
          {t.result.types[type]}
        </Badge>
        {past && (
          <Text size="sm" className="tabular">
            {formatDate(date, language)} · {nameOf(service)}
          </Text>
        )}
      </Group>
      {diagnosis && <Text className={classes.text}>{diagnosis}</Text>}
      {icd10.length > 0 && (
        <Text size="sm" className="tabular">
          {icd10.join(' · ')}
        </Text>
      )}
      {advice && (
        <Text size="sm" className={classes.text}>
          {advice}
        </Text>
      )}
      {followUpDate && <Text size="sm">{t.result.followUpOn(formatDate(followUpDate, language))}</Text>}
      {file && (
        <Text size="sm" className={classes.breakable}>
          <bdi>{file.name}</bdi> · {formatBytes(file.size)}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {t.result.by(createdByName, `${formatDate(made.date, language)} ${formatTime(made.time, language)}`)}
      </Text>
      <Group gap={6}>
        {file && (
          <>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconEye size={14} aria-hidden />}
              aria-label={t.result.showNamed(file.name)}
              onClick={onShow}
            >
              {t.result.show}
            </Button>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconDownload size={14} aria-hidden />}
              aria-label={t.result.downloadNamed(file.name)}
              onClick={() => void save()}
            >
              {t.result.download}
            </Button>
          </>
        )}
        {can('RESULT.DELETE') && !past && (
          <Button
            variant="default"
            size="compact-sm"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={14} aria-hidden />}
            aria-label={t.result.deleteNamed(summaryOf(t.result.types, result))}
            onClick={onDelete}
          >
            {t.result.delete}
          </Button>
        )}
      </Group>
    </li>
  );
}
