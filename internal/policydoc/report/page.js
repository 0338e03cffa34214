"use strict";
(function () {
  var bar = document.getElementById("filter");
  var boxes = Array.from(bar.querySelectorAll("input"));
  var tool = bar.querySelector("select");
  function has(list, word) { return (list || "").split(" ").indexOf(word) >= 0; }
  function apply() {
    var shown = {};
    boxes.forEach(function (b) { shown[b.value] = b.checked; });
    document.querySelectorAll("[data-state]").forEach(function (e) {
      var off = !shown[e.dataset.state] || (tool.value !== "" && !has(e.dataset.tools, tool.value));
      e.classList.toggle(e.tagName === "ARTICLE" || e.tagName === "LI" ? "hidden" : "faded", off);
    });
  }
  boxes.concat([tool]).forEach(function (e) { e.addEventListener("change", apply); });
  bar.classList.remove("hidden");
})();
