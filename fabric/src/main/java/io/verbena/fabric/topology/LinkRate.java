package io.verbena.fabric.topology;

import java.util.Optional;

/** Width and speed of a link, written as {@code 4xEDR}. */
public record LinkRate(LinkWidth width, LinkSpeed speed) {

    /** The rate of a link that states none: 4xEDR. */
    public static final LinkRate DEFAULT = new LinkRate(LinkWidth.X4, LinkSpeed.EDR);

    /** Data rate of the link, after the line code. */
    public long megabitsPerSecond() {
        return (long) width.lanes() * speed.megabitsPerSecond();
    }

    /** The rate that a text such as {@code 4xEDR} names; empty if it names none. */
    public static Optional<LinkRate> parse(String text) {
        int x = text.indexOf('x') + 1;
        Optional<LinkSpeed> speed = LinkSpeed.parse(text.substring(x));
        return LinkWidth.parse(text.substring(0, x)).flatMap(width -> speed.map(s -> new LinkRate(width, s)));
    }

    @Override
    public String toString() {
        return width.lanes() + "x" + speed;
    }
}
