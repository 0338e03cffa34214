package sdktest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	models "github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// The client of package llm and the SDKs send the same for the same prompt, and read
// the same out of the answer.
func TestClient(t *testing.T) {
	properties := map[string]any{"city": map[string]any{"type": "string"}}
	schema := map[string]any{"type": "object", "properties": properties, "required": []string{"city"}, "additionalProperties": false}
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	prompt := models.Prompt{
		Stage: "look-up", System: "You know <geography> & more.",
		Messages: []models.Message{
			{Role: models.User, Text: "What is the capital of France?"},
			{Role: models.Assistant, Text: "Of which one?"},
			{Role: models.User, Text: "The “hexagon”."},
		},
		Schema: models.Schema{Name: "capital", JSON: raw},
	}
	for provider, ask := range map[models.Provider]func(context.Context, models.Endpoint, models.Prompt, map[string]any) (string, models.Usage, error){
		models.OpenAI: askOpenAI, models.Anthropic: askAnthropic,
	} {
		t.Run(string(provider), func(t *testing.T) {
			s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
				return llmtest.Reply{JSON: map[string]any{"city": "Paris"}, Usage: models.Usage{Input: 40, CachedInput: 30, Output: 5}}
			})
			e := s.Endpoint(provider)
			e.MaxTokens = 500
			c, err := models.New(models.Options{Default: e})
			if err != nil {
				t.Fatal(err)
			}
			ours, err := c.Complete(t.Context(), prompt)
			if err != nil {
				t.Fatal(err)
			}
			theirs, usage, err := ask(t.Context(), e, prompt, schema)
			if err != nil {
				t.Fatal(err)
			}
			asked := s.Asked()
			if len(asked) != 2 {
				t.Fatalf("%d requests", len(asked))
			}
			if diff := cmp.Diff(body(t, asked[1]), body(t, asked[0])); diff != "" {
				t.Errorf("the SDK sends (-), and Remit (+):\n%s", diff)
			}
			if theirs != string(ours.Value) {
				t.Errorf("the SDK reads %s, and Remit %s", theirs, ours.Value)
			}
			usage.Calls = 1
			if usage != ours.Usage {
				t.Errorf("the SDK reads %+v, and Remit %+v", usage, ours.Usage)
			}
		})
	}
}

// body is a request as JSON. Text may be a string or one block with it, which is the
// same to the provider.
func body(t *testing.T, a llmtest.Asked) map[string]any {
	var out map[string]any
	if err := json.Unmarshal(a.Body, &out); err != nil {
		t.Fatal(err)
	}
	for _, m := range out["messages"].([]any) {
		m := m.(map[string]any)
		if s, ok := m["content"].(string); ok {
			m["content"] = []any{map[string]any{"type": "text", "text": s}}
		}
	}
	return out
}

func askOpenAI(ctx context.Context, e models.Endpoint, p models.Prompt, schema map[string]any) (string, models.Usage, error) {
	client := openai.NewClient(option.WithBaseURL(e.BaseURL), option.WithAPIKey(e.Key))
	params := openai.ChatCompletionNewParams{
		Model:               e.Model,
		Messages:            []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(p.System)},
		MaxCompletionTokens: openai.Int(int64(e.MaxTokens)),
		ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: p.Schema.Name, Schema: schema, Strict: openai.Bool(true)},
		}},
	}
	for _, m := range p.Messages {
		if m.Role == models.User {
			params.Messages = append(params.Messages, openai.UserMessage(m.Text))
		} else {
			params.Messages = append(params.Messages, openai.AssistantMessage(m.Text))
		}
	}
	got, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return "", models.Usage{}, err
	}
	u := got.Usage
	return got.Choices[0].Message.Content, models.Usage{
		Input: int(u.PromptTokens), CachedInput: int(u.PromptTokensDetails.CachedTokens), Output: int(u.CompletionTokens)}, nil
}

func askAnthropic(ctx context.Context, e models.Endpoint, p models.Prompt, schema map[string]any) (string, models.Usage, error) {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(e.BaseURL[:len(e.BaseURL)-len("/v1")]), anthropicoption.WithAPIKey(e.Key))
	params := anthropic.MessageNewParams{
		Model:     anthropic.Model(e.Model),
		MaxTokens: int64(e.MaxTokens),
		System:    []anthropic.TextBlockParam{{Text: p.System, CacheControl: anthropic.NewCacheControlEphemeralParam()}},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: p.Schema.Name, Description: anthropic.String("Takes your answer. Call it once, with the whole answer."),
			InputSchema: anthropic.ToolInputSchemaParam{
				Properties: schema["properties"], Required: schema["required"].([]string),
				ExtraFields: map[string]any{"additionalProperties": false}},
		}}},
		ToolChoice: anthropic.ToolChoiceParamOfTool(p.Schema.Name),
	}
	for _, m := range p.Messages {
		text := anthropic.NewTextBlock(m.Text)
		if m.Role == models.User {
			params.Messages = append(params.Messages, anthropic.NewUserMessage(text))
		} else {
			params.Messages = append(params.Messages, anthropic.NewAssistantMessage(text))
		}
	}
	got, err := client.Messages.New(ctx, params)
	if err != nil {
		return "", models.Usage{}, err
	}
	u := got.Usage
	return string(got.Content[0].Input), models.Usage{
		Input: int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens), CachedInput: int(u.CacheReadInputTokens), Output: int(u.OutputTokens)}, nil
}
