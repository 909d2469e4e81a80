package io.verbena.tools.fabric;

/** The colours of links by their load, from idle to fully busy, on a light and on a dark background. */
enum LoadColours {
    LIGHT(
            "#d0d7de", "#b4cbee", "#8db4e8", "#6a99e0", "#5a7bd0", "#6a5fc0", "#8b49b0", "#ab3a93", "#c92d6d",
            "#de2a43", "#ee3a10"),
    DARK(
            "#2d333b", "#33496b", "#3f659a", "#4f86d0", "#7593ea", "#9a86ee", "#bd78e0", "#dc6ec2", "#f2668f",
            "#ff6a5c", "#ffb02e");

    /** The number of colours after that of an idle link. */
    static final int STEPS = 10;

    private final String[] colours;

    LoadColours(String... colours) {
        this.colours = colours;
    }

    /** The colour of a load of 0 to 1; 0 means that nothing was carried. */
    static int step(double load) {
        return load == 0 ? 0 : (int) Math.clamp(Math.ceil(load * STEPS - 1e-9), 1, STEPS);
    }

    /** Appends the rules of the classes {@code h0} (lines) and {@code c0} (areas) and so on. */
    void appendTo(StringBuilder css) {
        for (int i = 0; i <= STEPS; i++) {
            css.append(".h")
                    .append(i)
                    .append("{stroke:")
                    .append(colours[i])
                    .append("}.c")
                    .append(i);
            css.append("{fill:").append(colours[i]).append('}');
        }
    }
}
