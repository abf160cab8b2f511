package hospital

// Page selects a page of a list. PageSize is at most 200; Sort is a field name, prefixed with "-" for
// descending order.
type Page struct {
	Page     int    `json:"page,omitempty" default:"1" minimum:"1" maximum:"1000000" doc:"Page number, starting at 1"`
	PageSize int    `json:"pageSize,omitempty" default:"20" minimum:"1" maximum:"200" doc:"Rows per page"`
	Sort     string `json:"sort,omitempty" maxLength:"40" doc:"Field to sort by; prefix '-' for descending"`
}

// Paged is a page of a list with the total number of rows.
type Paged[T any] struct {
	Items    []T   `json:"items"`
	Total    int64 `json:"total"`
	Page     int   `json:"page"`
	PageSize int   `json:"pageSize"`
}

// Offset returns the number of rows before the page.
func (p Page) Offset() int { return (p.Page - 1) * p.PageSize }

// NewPaged returns a page of items.
func NewPaged[T any](p Page, items []T, total int64) Paged[T] {
	if items == nil {
		items = []T{}
	}
	return Paged[T]{Items: items, Total: total, Page: p.Page, PageSize: p.PageSize}
}
