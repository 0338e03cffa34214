package reply_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/reply"
)

func TestNegates(t *testing.T) {
	for text, want := range map[string]bool{
		"not the Visa": true, "the Visa": false, "no Visa": true, "I don't want the Visa": true,
		"nicht die Visa": true, "no con la Visa": true, "pas la Visa": true, "不要这张卡": true, "": false,
	} {
		if got := reply.Negates(text); got != want {
			t.Errorf("%q negates: %t", text, got)
		}
	}
}

func TestClauses(t *testing.T) {
	got := reply.Clauses("PayPal, for $1,250.50. No: not W1.2!\nThanks")
	if want := []string{"PayPal,", " for $1,250.50.", " No:", " not W1.2!", "\nThanks"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := strings.Join(reply.Clauses(text), ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestIsUnread(t *testing.T) {
	for text, want := range map[string]bool{"card_1": false, "Отмени": false, "取消": false, "キャンセル": false, "لا تلغ": false, "हटाओ मत": false, "취소": true, "ยกเลิก": true, "😀 50 €": false} {
		if got := reply.IsUnread(text); got != want {
			t.Errorf("%q is unread: %t", text, got)
		}
	}
}
