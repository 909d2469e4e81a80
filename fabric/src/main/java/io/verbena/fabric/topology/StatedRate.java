package io.verbena.fabric.topology;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one end of a cable states about its rate: ibnetdiscover prints the active width and speed, of which it may not know one or
 * both ({@code 4x???}, {@code ??SDR}); ibsim's files have masks of enabled widths and speeds.
 *
 * @param width the printed width; empty if there is none or it is unknown
 * @param speed the printed speed; empty if there is none or it is unknown
 * @param printed the printed rate; empty if there is none
 * @param enabled the masks of ibsim
 */
record StatedRate(Optional<LinkWidth> width, Optional<LinkSpeed> speed, String printed, Enabled enabled) {

    private static final Pattern PRINTED = Pattern.compile("(?<!\\S)(\\d{1,2}x|\\?\\?)(\\?\\?\\?|[A-Za-z]\\w*)(?!\\S)");
    private static final Pattern OPTION =
            Pattern.compile("(?<!\\S)([wse])\\w*\\s*=\\s*(0[xX][0-9a-fA-F]{1,4}|\\d{1,5})");

    /**
     * Masks in the codes of PortInfo; 0 where nothing is stated.
     *
     * @param widths LinkWidthEnabled
     * @param speeds LinkSpeedEnabled
     * @param extended LinkSpeedExtEnabled
     */
    record Enabled(int widths, int speeds, int extended) {
        static final Enabled NONE = new Enabled(0, 0, 0);

        boolean stated() {
            return widths != 0 || speeds != 0 || extended != 0;
        }

        /** These masks, or others where these state nothing. */
        Enabled or(Enabled other) {
            return new Enabled(
                    widths != 0 ? widths : other.widths,
                    speeds != 0 ? speeds : other.speeds,
                    extended != 0 ? extended : other.extended);
        }
    }

    /** The rate that the rest of a port's line states after the name of the peer. */
    static StatedRate parse(String text, Enabled defaults) {
        Matcher printed = PRINTED.matcher(text);
        boolean found = printed.find();
        Enabled own = options(text);
        return new StatedRate(
                found ? LinkWidth.parse(printed.group(1)) : Optional.empty(),
                found ? LinkSpeed.parse(printed.group(2)) : Optional.empty(),
                found ? printed.group() : "",
                found ? Enabled.NONE : own.or(defaults));
    }

    private static Enabled options(String text) {
        int[] masks = new int[3];
        Matcher option = OPTION.matcher(text);
        while (option.find()) {
            int value = Integer.decode(decimal(option.group(2)));
            masks["wse".indexOf(option.group(1))] = value;
        }
        return new Enabled(masks[0], masks[1], masks[2]);
    }

    /** A decimal number may begin with zeros. */
    private static String decimal(String number) {
        return number.startsWith("0x") || number.startsWith("0X") ? number : String.valueOf(Integer.parseInt(number));
    }

    /** Whether width and speed are known. */
    boolean complete() {
        return width.isPresent() && speed.isPresent();
    }

    /** The rate of a cable with these two ends. What neither end states is that of {@link LinkRate#DEFAULT}. */
    static LinkRate of(StatedRate a, StatedRate b) {
        if (a.printed.isEmpty() && b.printed.isEmpty() && (a.enabled.stated() || b.enabled.stated())) {
            return new LinkRate(Masks.width(a.enabled, b.enabled), Masks.speed(a.enabled, b.enabled));
        }
        return new LinkRate(
                a.width.or(b::width).orElse(LinkRate.DEFAULT.width()),
                a.speed.or(b::speed).orElse(LinkRate.DEFAULT.speed()));
    }

    /** The choice that ports make among what both enable. */
    private static final class Masks {
        /** ibsim's value of a port that states none: 4x. */
        private static final int WIDTHS = 2;

        private Masks() {}

        /**
         * The widest common width. The comment in ibsim's files describes the values as numbers of lanes, its reader takes them as masks:
         * as numbers they count where the masks of the two ends have nothing in common.
         */
        static LinkWidth width(Enabled a, Enabled b) {
            int common = (a.widths == 0 ? WIDTHS : a.widths) & (b.widths == 0 ? WIDTHS : b.widths);
            int mask = common != 0 ? common : Math.max(a.widths, b.widths);
            if (common == 0) {
                for (LinkWidth width : LinkWidth.values()) {
                    if (width.lanes() == mask) {
                        return width;
                    }
                }
            }
            LinkWidth best = LinkWidth.X1;
            for (LinkWidth width : LinkWidth.values()) {
                best = (mask & width.code()) != 0 ? width : best;
            }
            return best;
        }

        /** The fastest common speed; an end that states none restricts nothing. */
        static LinkSpeed speed(Enabled a, Enabled b) {
            int extended = common(a.extended, b.extended);
            int mask = extended != 0 ? extended : common(a.speeds, b.speeds);
            LinkSpeed best = LinkSpeed.SDR;
            for (LinkSpeed speed : LinkSpeed.values()) {
                boolean fits = speed.extended() == (extended != 0) && (mask & speed.code()) != 0;
                best = fits && speed != LinkSpeed.FDR10 ? speed : best;
            }
            return best;
        }

        private static int common(int a, int b) {
            return (a & b) != 0 ? a & b : Math.max(a, b);
        }
    }
}
