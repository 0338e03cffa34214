"""A model's endpoint whose answers somebody else writes.

    python3 endpoint.py DIR [PORT]

Each question becomes DIR/NAME.question.txt; its first line names the files with what many
questions share: DIR/system-HASH.txt, and DIR/schema-HASH.json with the form of the answer.
The answer is what DIR/NAME.answer.json comes to hold, a JSON object.
The same question is asked once. Whoever writes answers writes them under another name
first and renames the file, so that no half of one is read.
"""

import hashlib
import http.server
import json
import pathlib
import sys
import threading
import time

root = pathlib.Path(sys.argv[1])
root.mkdir(parents=True, exist_ok=True)


writing = threading.Lock()


def put(name, text):
    with writing:
        (root / name).write_text(text, encoding="utf-8")


def share(form, text):
    name = form % hashlib.sha256(text.encode()).hexdigest()[:6]
    if not (root / name).exists():
        put(name, text)
    return name


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system = [m["content"] for m in asked["messages"] if m["role"] == "system"]
        talk = [m for m in asked["messages"] if m["role"] != "system"]
        text = talk[0]["content"]
        for m in talk[1:]:
            text += "\n\n--- " + ("the answer so far" if m["role"] == "assistant" else "what is wrong with it") + "\n" + m["content"]

        name = hashlib.sha256((system[0] + text).encode()).hexdigest()[:12]
        schema = json.dumps(asked.get("response_format", {}).get("json_schema", {}).get("schema"), indent=1)
        shared = [share("system-%s.txt", system[0]), share("schema-%s.json", schema)]
        put(name + ".question.txt", "[%s]\n\n%s" % (", ".join(shared), text))
        answer = root / (name + ".answer.json")
        while not answer.exists():
            time.sleep(0.2)
        reply = {
            "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer.read_text(encoding="utf-8")}}],
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Endpoint)
print("http://127.0.0.1:%d/v1" % server.server_address[1], flush=True)
server.serve_forever()
