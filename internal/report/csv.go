package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"nadmor/internal/hospital"
)

// byteOrderMark makes Excel read the file as UTF-8.
const byteOrderMark = "\ufeff"

// chunk is the size of a write.
const chunk = 64 << 10

func writeCSV(w io.Writer, t Table, rows func(Add) error) error {
	out := bufio.NewWriterSize(w, chunk)
	if _, err := out.WriteString(byteOrderMark); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	records := csv.NewWriter(out)
	record := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		record[i] = EscapeFormula(c.Title)
	}
	if err := records.Write(record); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	err := rows(func(cells ...any) error {
		for i := range record {
			record[i] = ""
			if i < len(cells) {
				var err error
				if record[i], err = csvCell(cells[i]); err != nil {
					return err
				}
			}
		}
		return records.Write(record)
	})
	if err != nil {
		return err
	}
	records.Flush()
	if err := records.Error(); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return out.Flush()
}

func csvCell(cell any) (string, error) {
	switch v := cell.(type) {
	case string:
		return EscapeFormula(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case Day:
		if v.Date == "" {
			return "", nil
		}
		t, err := time.Parse(time.DateOnly, v.Date)
		if err != nil {
			return "", fmt.Errorf("write date: %w", err)
		}
		return v.thai(t), nil
	case time.Time:
		v = v.In(hospital.Bangkok)
		return fmt.Sprintf("%s %02d:%02d", Day{}.thai(v), v.Hour(), v.Minute()), nil
	default:
		return "", fmt.Errorf("a cell cannot be a %T", cell)
	}
}
