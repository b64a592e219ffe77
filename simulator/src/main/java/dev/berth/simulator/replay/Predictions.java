package dev.berth.simulator.replay;

/**
 * How many run times were as predicted, of the jobs with enough earlier runs.
 *
 * @param withinMedian ran no longer than the predicted median
 * @param withinP90 ran no longer than nine of ten were predicted to
 */
public record Predictions(int jobs, int withinMedian, int withinP90) {

    static final Predictions NONE = new Predictions(0, 0, 0);

    Predictions with(boolean isWithinMedian, boolean isWithinP90) {
        return new Predictions(
                jobs + 1,
                withinMedian + (isWithinMedian ? 1 : 0),
                withinP90 + (isWithinP90 ? 1 : 0));
    }

    public double partWithinMedian() {
        return jobs == 0 ? 0 : (double) withinMedian / jobs;
    }

    public double partWithinP90() {
        return jobs == 0 ? 0 : (double) withinP90 / jobs;
    }
}
