// Draws each chart from the figure beside it.
for (const place of document.querySelectorAll(".chart")) {
  const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  Plotly.newPlot(place, figure.data, figure.layout, { responsive: true, displayModeBar: false });
}
