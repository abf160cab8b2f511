import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload, IconFileSpreadsheet, IconFileTypeCsv } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { DownloadStatus, useDownload } from '@/ui/download-status';
import { criteriaOf, type PatientFilters } from './list-search';

const EXPORT = '/admin/api/v1/patients/export';
const FORMATS = [
  { format: 'xlsx', icon: IconFileSpreadsheet },
  { format: 'csv', icon: IconFileTypeCsv },
] as const;

/** All patients that the filters leave, in the list's order, as a file. */
export function ExportMenu({ filters, sort }: { filters: PatientFilters; sort: string }) {
  const t = useT();
  const download = useDownload();
  return (
    <>
      <DownloadStatus download={download} />
      {!download.progress && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Button
              variant="default"
              title={t.patientList.exportTitle}
              leftSection={<IconDownload size={16} aria-hidden />}
              rightSection={<IconChevronDown size={14} aria-hidden />}
            >
              {t.patientList.export}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {FORMATS.map(({ format, icon: Icon }) => (
              <Menu.Item
                key={format}
                leftSection={<Icon size={18} aria-hidden />}
                onClick={() => download.start(EXPORT, { ...criteriaOf(filters), sort, format })}
              >
                {t.patientList.exportAs[format]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}
