package io.verbena.fabric.topology;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines between nodes: properties of the next node, and the settings of ibsim, which hold for all nodes that follow: a base of GUIDs, a
 * prefix of names, enabled widths and speeds. Source: the reader of ibsim, sim_net.c.
 */
final class TextSettings {

    private static final Pattern PROPERTY =
            Pattern.compile("([\\w?]+)\\s*([=+])\\s*(\\w+)\\s*(?:\\(([0-9a-fA-F]{1,16})\\))?\\s*(?:#.*)?");
    private static final Pattern MODULE = Pattern.compile("module\\s*=\\s*\"([^\"]*)\".*");
    /** A locally administered EUI-64 for nodes without GUID; its third byte differs from that of built topologies. */
    private static final long GUIDS = 0x0a56_4300_0000_0000L;

    private static final String PORT_ZERO = "port0guid";

    private final Map<String, Long> properties = new HashMap<>();
    private final Map<NodeKind, Long> bases = new EnumMap<>(NodeKind.class);
    private final Map<NodeKind, Long> next = new EnumMap<>(NodeKind.class);
    /** Kinds whose base was stated after the last node of this kind. */
    private final Set<NodeKind> fresh = EnumSet.noneOf(NodeKind.class);

    private String prefix = "";
    private long serial;

    /** Takes a line; whether it is one of these. */
    boolean take(String content) {
        Matcher module = MODULE.matcher(content);
        if (module.matches()) {
            prefix = module.group(1);
            return true;
        }
        Matcher property = PROPERTY.matcher(content);
        if (!property.matches()) {
            return false;
        }
        OptionalLong value = number(property.group(3));
        String word = property.group(1).replaceFirst("guids$", "guid").replaceFirst("^hcaguid$", "caguid");
        if (value.isEmpty()) {
            return false;
        }
        Optional<NodeKind> kind = kindOfGuid(word);
        if (kind.isPresent()) {
            base(kind.get(), property.group(2).equals("+"), value.getAsLong());
        } else {
            properties.put(word, value.getAsLong());
        }
        if (property.group(4) != null) {
            properties.put(PORT_ZERO, Long.parseUnsignedLong(property.group(4), 16));
        }
        return true;
    }

    private static Optional<NodeKind> kindOfGuid(String word) {
        return switch (word) {
            case "switchguid" -> Optional.of(NodeKind.SWITCH);
            case "caguid" -> Optional.of(NodeKind.ADAPTER);
            case "rtguid" -> Optional.of(NodeKind.ROUTER);
            default -> Optional.empty();
        };
    }

    private void base(NodeKind kind, boolean relative, long value) {
        if (!relative) {
            bases.put(kind, value);
        }
        long first = kind == NodeKind.SWITCH ? 0x20_0000 : kind == NodeKind.ADAPTER ? 0x10_0000 : 0x30_0000;
        fresh.add(kind);
        next.put(kind, relative ? bases.getOrDefault(kind, first) + value : value);
    }

    /** A number as C writes it; empty if it is none. */
    private static OptionalLong number(String text) {
        int radix = text.matches("0[xX].+") ? 16 : text.matches("0\\d+") ? 8 : 10;
        try {
            return OptionalLong.of(Long.parseUnsignedLong(radix == 16 ? text.substring(2) : text, radix));
        } catch (NumberFormatException _) {
            return OptionalLong.empty();
        }
    }

    /** The identification that a name has behind the prefix of its module. A name with a module keeps it. */
    String qualified(String name) {
        return prefix.isEmpty() || name.contains("#") || name.contains("@") ? name : prefix + "#" + name;
    }

    /** The alias that a text means: one without a module belongs to the current one. */
    String alias(String text) {
        return text.startsWith("@") ? prefix + text : text.contains("@") ? text : prefix + "@" + text;
    }

    /** Widths and speeds of ports that state none. */
    StatedRate.Enabled enabled() {
        return new StatedRate.Enabled(small("width"), small("speed"), small("extspeed"));
    }

    private int small(String word) {
        return (int) Math.clamp(properties.getOrDefault(word, 0L), 0, 0xffff);
    }

    /** What the lines before a node say about it. They do not count for the node after it, except what ibsim keeps. */
    NodeSection section(NodeKind kind, String id, int ports, String description, PortAddress base) {
        long guid = guid(kind, id, ports);
        Identity identity = new Identity(
                guid,
                orIfZero(properties.getOrDefault("sysimgguid", guid), guid),
                (int) (properties.getOrDefault("vendid", 0L) & 0xff_ffff),
                (int) (properties.getOrDefault("devid", 0L) & 0xffff),
                description);
        PortAddress zero = new PortAddress(properties.getOrDefault(PORT_ZERO, guid), base.lid(), base.lmc());
        properties.remove("sysimgguid");
        properties.remove("vendid");
        properties.remove(PORT_ZERO);
        return new NodeSection(kind, id, ports, identity, zero);
    }

    private static long orIfZero(long value, long other) {
        return value == 0 ? other : value;
    }

    /**
     * The GUID: of the lines before the node, or a part of its identification, or an assigned one. As in ibsim, a base counts on with the nodes
     * that follow.
     */
    private long guid(NodeKind kind, String id, int ports) {
        serial++;
        Long stated = next.get(kind);
        if (!fresh.remove(kind) && id.matches("[SHR]-[0-9a-fA-F]{16}")) {
            return Long.parseUnsignedLong(id.substring(2), 16);
        }
        if (stated == null) {
            return GUIDS | (long) kind.code() << 32 | serial << 8;
        }
        next.put(kind, stated + (kind == NodeKind.SWITCH ? 1 : ports + 1));
        return stated;
    }
}
