/**
 * Why a task failed, found in the end of its log. A <em>diagnosis</em> is one <em>cause</em> and
 * the decisive line; without a decisive line there is no diagnosis. A <em>remedy</em> is what to do
 * about it, and what to change for another run.
 */
@NullMarked
package dev.berth.findings.diagnosis;

import org.jspecify.annotations.NullMarked;
