package io.verbena.ib.paths;

/** Is notified when requests leave a path, or take it again. */
public interface PathEvents {

    /** The path was retired: it does not answer, or loses too much. */
    void onRetired(int path);

    /** A retired path answers again. */
    void onRevived(int path);

    /** Nothing is notified. */
    PathEvents NONE = new PathEvents() {
        @Override
        public void onRetired(int path) {}

        @Override
        public void onRevived(int path) {}
    };
}
