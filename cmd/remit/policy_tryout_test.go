package main

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sellThings gives a server the look-ups of a shop that don't say what they return.
func sellThings(s *sdk.Server) {
	type user struct {
		UserID string `json:"user_id"`
	}
	type order struct {
		OrderID string `json:"order_id"`
	}
	said := func(found bool, text string) (*sdk.CallToolResult, any, error) {
		if !found {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "there is none"}}}, nil, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
	}
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true}
	sdk.AddTool(s, &sdk.Tool{Name: "get_user", Description: "Gets a user.", Annotations: reads}, func(_ context.Context, _ *sdk.CallToolRequest, u user) (*sdk.CallToolResult, any, error) {
		return said(u.UserID == "ada-7", `{"user_id": "ada-7", "orders": ["W-100"], "payment_methods": {"card_55": {"kind": "card"}}}`)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "get_order", Description: "Gets an order.", Annotations: reads}, func(_ context.Context, _ *sdk.CallToolRequest, o order) (*sdk.CallToolResult, any, error) {
		return said(o.OrderID == "W-100", `{"order_id": "W-100", "user_id": "ada-7", "status": "pending"}`)
	})
}
