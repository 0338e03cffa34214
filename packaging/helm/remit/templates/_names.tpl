{{- define "remit.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "remit.labels" -}}
app.kubernetes.io/name: remit
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "remit.image" -}}
{{- $i := .Values.image -}}
{{- if $i.digest }}{{ $i.repository }}@{{ $i.digest }}{{ else }}{{ $i.repository }}:{{ $i.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The names by which callers in the cluster reach a service. */}}
{{- define "remit.hosts" -}}
{{- $service := printf "%s-%s" (include "remit.name" .root) .component -}}
{{- $space := .root.Release.Namespace -}}
{{- concat (list $service (printf "%s.%s" $service $space) (printf "%s.%s.svc" $service $space) (printf "%s.%s.svc.cluster.local" $service $space)) .root.Values.hosts | toJson -}}
{{- end }}
