import { type DragEvent, type ReactNode, useState } from 'react';

interface FileDropProps {
  /** Has `data-over` while files are dragged over it. */
  className?: string;
  onFile: (file: File) => void;
  /** More than one file was dropped. */
  onSeveral: () => void;
  children: ReactNode;
}

/** A drop zone for one file, around the button that chooses it. Dragged text and page images are ignored. */
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
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same.
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
