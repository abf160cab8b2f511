import { type DragEvent, type ReactNode, useState } from 'react';

interface FileDropProps {
  /** Marked with `data-over` while files are held over it. */
  className?: string;
  onFile: (file: File) => void;
  /** More than one was dropped, where one is wanted. */
  onSeveral: () => void;
  children: ReactNode;
}

/** Where one file can be dropped, around the button that chooses it. Text and pictures from the page are let through. */
export function FileDrop({ className, onFile, onSeveral, children }: FileDropProps) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file, another] = event.dataTransfer.files;
    if (another) onSeveral();
    else if (file) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a convenience; the button does the same.
    <div
      className={className}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  );
}
