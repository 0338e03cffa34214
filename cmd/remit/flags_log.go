package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/telemetry"
)

// logFlags say how a server logs.
type logFlags struct {
	LogFormat string `name:"log-format" placeholder:"FORMAT" default:"text" enum:"text,json" help:"How lines of the log are written: text or json (text)."`
}

// logger writes the log from a level on.
func (f *logFlags) logger(to io.Writer, from string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level(from)}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}

// rateFlag bounds how much a caller may send.
type rateFlag struct {
	Rate perMinute `placeholder:"N" help:"How many requests a caller may send in a minute: a principal of the decision API, or a key at the proxy. At the gateway, how many calls the client may make. Any number without it."`
}

// perMinute is a number of requests; any number when 0.
type perMinute int

// CheckFlag refuses what would let everything through and looks like a bound.
func (n perMinute) CheckFlag() error {
	if n < 0 {
		return fmt.Errorf("%d is not a number of requests: write 1 or more, or leave --rate out", n)
	}
	return nil
}

func level(name string) slog.Level {
	var l slog.Level
	if l.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo // the parser has checked the word
	}
	return l
}

// observed starts the telemetry of a door, and returns what ends it after a last export.
// With page, metrics can be scraped, too.
func observed(ctx context.Context, door string, page bool, log *slog.Logger) (*telemetry.Recorder, func(), error) {
	r, flush, err := telemetry.Start(ctx, telemetry.Options{Door: door, Page: page, Version: version(), Log: log})
	if err != nil {
		return nil, nil, command.UsageError(err)
	}
	return r, func() {
		if err := flush(); err != nil {
			log.Warn("telemetry could not be exported", "error", err)
		}
	}, nil
}
