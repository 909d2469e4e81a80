package io.verbena.tools.files;

import io.verbena.tools.text.ProgressBar;

/** Sees how a copy goes. */
public interface CopyListener {

    /** A bar for a stage of so many bytes. */
    ProgressBar bar(String label, long total);

    /** One line for people. */
    void onEvent(String line);
}
