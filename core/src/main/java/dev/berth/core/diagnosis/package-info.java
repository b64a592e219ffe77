/**
 * Why a task failed, read from the end of its log. A <em>diagnosis</em> names one <em>cause</em>
 * and the decisive line that shows it; where no line is decisive there is none. A <em>remedy</em>
 * says what to do about it, and how to run the task again if that can be said.
 */
@NullMarked
package dev.berth.core.diagnosis;

import org.jspecify.annotations.NullMarked;
