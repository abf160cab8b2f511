package api

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// metrics holds the Prometheus metrics of a node.
type metrics struct {
	requests            *prometheus.HistogramVec
	inFlight, listeners prometheus.Gauge
	rejections          *prometheus.CounterVec
}

func newMetrics(o Options) *metrics {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nadmor_http_request_seconds", Help: "Response time by route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "nadmor_http_requests_in_flight", Help: "Requests in progress, including event streams.",
		}),
		listeners: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "nadmor_live_listeners", Help: "Open event streams.",
		}),
		rejections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nadmor_refusals_total", Help: "Rejected requests by error code.",
		}, []string{"code"}),
	}
	if o.Metrics != nil {
		build := prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "nadmor_build_info", Help: "Always 1; the labels describe the build.",
			ConstLabels: prometheus.Labels{"version": o.Version, "go": runtime.Version(), "database": o.DB.Engine()},
		})
		build.Set(1)
		hashes := prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nadmor_password_hashes_total",
			Help: "Computed password hashes, including those of attempts with unknown usernames.",
		}, func() float64 { return float64(o.Hasher.Derivations()) })
		o.Metrics.MustRegister(m.requests, m.inFlight, m.listeners, m.rejections, build, hashes, &gauges{
			db: o.DB, parts: o.parts(),
		})
	}
	return m
}

// knownMethods are the values of the method label. Others are counted together, because clients can invent
// them.
var knownMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch,
	http.MethodOptions,
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	if !slices.Contains(knownMethods, method) {
		method = "OTHER"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) countRejected(code hospital.Code) { m.rejections.WithLabelValues(string(code)).Inc() }

// gauges are read from the store when they are collected.
type gauges struct {
	db    *store.DB
	parts []part
}

// gaugeTime is the timeout of a collection. It is less than Prometheus waits.
const gaugeTime = 3 * time.Second

var (
	readyGauge = prometheus.NewDesc("nadmor_ready", "1 if a dependency of the node is available.",
		[]string{"part"}, nil)
	entriesCounter = prometheus.NewDesc("nadmor_audit_entries_total",
		"Audit entries written by this node, by action and outcome.", []string{"action", "outcome"},
		nil)
	poolGauge = prometheus.NewDesc("nadmor_database_connections", "Database connections.",
		[]string{"pool", "state"}, nil)
	poolWait = prometheus.NewDesc("nadmor_database_wait_seconds_total", "Time spent waiting for a connection.",
		[]string{"pool"}, nil)
	jobsGauge = prometheus.NewDesc("nadmor_jobs_due", "Due background jobs of all nodes.", nil, nil)
	jobAge    = prometheus.NewDesc("nadmor_job_oldest_seconds", "Age of the oldest due job.", nil, nil)
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{readyGauge, entriesCounter, poolGauge, poolWait, jobsGauge, jobAge} {
		to <- d
	}
}

// Collect implements prometheus.Collector. Metrics from the database are omitted while it does not answer.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), gaugeTime)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for kind, n := range g.db.EntriesWritten() {
		to <- prometheus.MustNewConstMetric(entriesCounter, prometheus.CounterValue, float64(n), kind.Action,
			string(kind.Outcome))
	}
	for _, p := range g.db.Pools() {
		gauge(poolGauge, float64(p.InUse), p.Name, "in-use")
		gauge(poolGauge, float64(p.Idle), p.Name, "idle")
		to <- prometheus.MustNewConstMetric(poolWait, prometheus.CounterValue, p.Waited.Seconds(), p.Name)
	}
	if count, since, err := g.db.JobsDue(ctx); err == nil {
		gauge(jobsGauge, float64(count))
		gauge(jobAge, g.db.Now().Sub(since).Seconds())
	}
	for _, part := range g.parts {
		ready := 0.0
		if part.ready(ctx) == nil {
			ready = 1
		}
		gauge(readyGauge, ready, part.name)
	}
}
