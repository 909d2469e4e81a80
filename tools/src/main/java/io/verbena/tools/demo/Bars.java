package io.verbena.tools.demo;

import io.verbena.tools.text.ProgressBar;

/** Makes progress bars. */
@FunctionalInterface
public interface Bars {

    /** A bar for a stage. */
    ProgressBar start(String label, long total);
}
