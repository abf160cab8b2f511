package hospital

// Page is which part of a list is wanted. PageSize is at most 200; Sort is a
// field name, with "-" before it for descending.
type Page struct {
	Page     int    `json:"page,omitempty" default:"1" minimum:"1" maximum:"1000000" doc:"Page number, from 1"`
	PageSize int    `json:"pageSize,omitempty" default:"20" minimum:"1" maximum:"200" doc:"Rows a page"`
	Sort     string `json:"sort,omitempty" maxLength:"40" doc:"Field to sort by; '-' before it for descending"`
}

// Paged is one page of a list and how long the whole list is.
type Paged[T any] struct {
	Items    []T   `json:"items"`
	Total    int64 `json:"total"`
	Page     int   `json:"page"`
	PageSize int   `json:"pageSize"`
}

// Offset is how many rows come before the page.
func (p Page) Offset() int { return (p.Page - 1) * p.PageSize }

// Of puts items on the page they were asked for.
func Of[T any](p Page, items []T, total int64) Paged[T] {
	if items == nil {
		items = []T{}
	}
	return Paged[T]{Items: items, Total: total, Page: p.Page, PageSize: p.PageSize}
}
