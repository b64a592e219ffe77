package dev.berth.simulator.chart;

import dev.berth.simulator.chart.Svg.Point;

import java.util.List;

/**
 * An area with axes. Positions in it go from 0 to 1, from the left and from the bottom.
 *
 * @param top of the area, in pixels
 */
record Panel(Svg svg, double top) {

    static final int WIDTH = 760;
    static final int HEIGHT = 240;
    private static final int LEFT = 80;
    private static final int PLOT_WIDTH = WIDTH - LEFT - 30;

    /** A position on an axis and its label. */
    record Tick(double position, String label) {}

    void axes(String title, List<Tick> across, List<Tick> up) {
        svg.label("heading", new Point(LEFT, top - 14), title);
        for (var tick : up) {
            svg.line("grid", at(0, tick.position()), at(1, tick.position()));
            var end = at(0, tick.position());
            svg.label("tick left", new Point(end.x() - 8, end.y() + 4), tick.label());
        }
        for (var tick : across) {
            svg.line("grid", at(tick.position(), 0), at(tick.position(), 1));
            var end = at(tick.position(), 0);
            svg.label("tick below", new Point(end.x(), end.y() + 18), tick.label());
        }
        svg.line("axis", at(0, 0), at(1, 0));
        svg.line("axis", at(0, 0), at(0, 1));
    }

    /** The name of the quantity below the horizontal axis. */
    void below(String label) {
        var end = at(0.5, 0);
        svg.label("tick below", new Point(end.x(), end.y() + 38), label);
    }

    Point at(double across, double up) {
        return new Point(LEFT + across * PLOT_WIDTH, top + (1 - up) * HEIGHT);
    }
}
