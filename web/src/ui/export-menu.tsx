import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload, IconFileSpreadsheet, IconFileTypeCsv } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { DeferredMenu } from './deferred-menu';
import { DownloadStatus, useDownload } from './download-status';

const FORMATS = [
  { format: 'xlsx', icon: IconFileSpreadsheet },
  { format: 'csv', icon: IconFileTypeCsv },
] as const;

interface ExportMenuProps {
  words: { export: string; exportTitle: string; exportAs: Record<'xlsx' | 'csv', string> };
  path: string;
  /** The export request of the current view; the format is added. */
  criteria: object;
  /** Menu items above the formats. */
  option?: ReactNode;
  /**
   * Called with a function that starts the export, with additional fields for the request. Starts at once by default.
   */
  onChoose?: (start: (more: object) => void) => void;
}

/** Exports the complete list in its current order. The progress replaces the menu. */
export function ExportMenu({
  words,
  path,
  criteria,
  option,
  onChoose = (start) => start({}),
}: ExportMenuProps) {
  const download = useDownload();
  return (
    <div data-focus-place>
      {download.progress ? (
        <DownloadStatus download={download} />
      ) : (
        <DeferredMenu
          button={(props) => (
            <Button
              variant="default"
              title={words.exportTitle}
              leftSection={<IconDownload size={16} aria-hidden />}
              rightSection={<IconChevronDown size={14} aria-hidden />}
              {...props}
            >
              {words.export}
            </Button>
          )}
          items={() => (
            <>
              {option}
              {FORMATS.map(({ format, icon: Icon }) => (
                <Menu.Item
                  key={format}
                  leftSection={<Icon size={18} aria-hidden />}
                  onClick={() => onChoose((more) => download.start(path, { ...criteria, ...more, format }))}
                >
                  {words.exportAs[format]}
                </Menu.Item>
              ))}
            </>
          )}
        />
      )}
    </div>
  );
}
