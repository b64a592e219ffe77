package dev.berth.simulator.chart;

import java.util.List;
import java.util.Locale;

/** Writes SVG elements. Their classes get colours from the style of the drawing. */
final class Svg {

    private final StringBuilder text = new StringBuilder();

    /** One point of a line, in pixels. */
    record Point(double x, double y) {}

    Svg(int width, int height, String style) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                        + " height=\"%d\" role=\"img\">",
                width, height, width, height);
        text.append("<style>").append(style).append("</style>\n");
        add("<rect class=\"back\" width=\"%d\" height=\"%d\"/>", width, height);
    }

    void line(String kind, Point from, Point to) {
        add(
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                kind, from.x(), from.y(), to.x(), to.y());
    }

    void curve(String kind, List<Point> points) {
        text.append("<polyline class=\"").append(kind).append("\" points=\"");
        for (var point : points) {
            text.append(String.format(Locale.ROOT, "%.1f,%.1f ", point.x(), point.y()));
        }
        text.append("\"/>\n");
    }

    void label(String kind, Point at, String label) {
        add(
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>",
                kind, at.x(), at.y(), safe(label));
    }

    /** Not drawn: the name of the drawing for readers that cannot see it. */
    void title(String title) {
        add("<title>%s</title>", safe(title));
    }

    String end() {
        return text.append("</svg>\n").toString();
    }

    private void add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String safe(String value) {
        return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
