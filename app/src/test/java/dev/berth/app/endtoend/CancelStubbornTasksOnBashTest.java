package dev.berth.app.endtoend;

/** The same with bash as the shim, which does not know what is left of its command. */
final class CancelStubbornTasksOnBashTest extends CancelStubbornTasksTest {

    CancelStubbornTasksOnBashTest(ServerHarness harness) {
        super(harness.env("BERTH_SHIM", "bash"));
    }
}
