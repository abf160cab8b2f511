package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts calls and how long they took, by route and status.
type metrics struct{ requests *prometheus.HistogramVec }

func newMetrics(r *prometheus.Registry) *metrics {
	m := &metrics{prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "nadmor_http_request_seconds", Help: "Time to answer, by route and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "route", "status"})}
	if r != nil {
		r.MustRegister(m.requests)
	}
	return m
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}
