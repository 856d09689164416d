"""What Home Assistant asks of a device's discovery message, as a JSON Schema of our own.

Written from its documentation of MQTT discovery and of the platforms used here (sensor, binary
sensor, button, event, select), as of 2026-11. Home Assistant refuses keys that it does not know, so
none are allowed here either.
"""

from typing import Any

TOPIC = {"type": "string", "pattern": "^[^+#\\s]+$"}
TEMPLATE = {"type": "string", "pattern": r"^\{[{%].*\}\}$"}
TEXT = {"type": "string", "minLength": 1}

AVAILABILITY = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["topic"],
        "additionalProperties": False,
        "properties": {
            "topic": TOPIC,
            "payload_available": TEXT,
            "payload_not_available": TEXT,
            "value_template": TEMPLATE,
        },
    },
}

COMMON: dict[str, Any] = {
    "name": TEXT,
    "unique_id": {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"},
    # Before 2025.10 the one, since then the other; both together are taken by all versions.
    "object_id": {"type": "string", "pattern": "^[a-z0-9_]+$"},
    "default_entity_id": TEXT,
    "icon": {"type": "string", "pattern": "^mdi:[a-z0-9-]+$"},
    "entity_category": {"enum": ["config", "diagnostic"]},
    "availability": AVAILABILITY,
    "availability_mode": {"enum": ["all", "any", "latest"]},
    "qos": {"enum": [0, 1, 2]},
    "json_attributes_topic": TOPIC,
    "json_attributes_template": TEMPLATE,
}

PLATFORMS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "sensor": (
        [],
        {
            "state_topic": TOPIC,
            "value_template": TEMPLATE,
            "unit_of_measurement": TEXT,
            "device_class": TEXT,
            "state_class": {"enum": ["measurement", "total", "total_increasing"]},
            "force_update": {"type": "boolean"},
        },
    ),
    "binary_sensor": (
        [],
        {"state_topic": TOPIC, "value_template": TEMPLATE, "device_class": {"enum": ["problem"]}},
    ),
    "event": (
        ["event_types"],
        {
            "state_topic": TOPIC,
            "value_template": TEMPLATE,
            "event_types": {"type": "array", "minItems": 1, "uniqueItems": True, "items": TEXT},
        },
    ),
    "button": (
        ["command_topic"],
        {"command_topic": TOPIC, "payload_press": TEXT, "retain": {"const": False}},
    ),
    "select": (
        ["command_topic", "options"],
        {
            "state_topic": TOPIC,
            "value_template": TEMPLATE,
            "options": {"type": "array", "minItems": 1, "items": TEXT},
            "command_topic": TOPIC,
            "command_template": TEXT,
            "retain": {"const": False},
        },
    ),
}


def _component(platform: str, required: list[str], fields: dict[str, Any]) -> dict[str, Any]:
    """A component of this platform, or its removal: the platform and nothing else."""
    properties = {"platform": {"const": platform}, **COMMON, **fields}
    named = f"^{platform}\\.[a-z0-9_]+$"
    properties["default_entity_id"] = {"type": "string", "pattern": named}
    entity = {
        "type": "object",
        "required": ["platform", "unique_id", *required],
        "additionalProperties": False,
        "properties": properties,
    }
    removal = {
        "type": "object",
        "required": ["platform"],
        "additionalProperties": False,
        "properties": {"platform": {"const": platform}},
    }
    return {"anyOf": [entity, removal]}


DEVICE_DISCOVERY: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    # Origin is mandatory for a device, and a device without an identifier is none.
    "required": ["device", "origin", "components"],
    "additionalProperties": False,
    "properties": {
        "device": {
            "type": "object",
            "required": ["identifiers", "name"],
            "additionalProperties": False,
            "properties": {
                "identifiers": {"type": "array", "minItems": 1, "items": TEXT},
                "name": TEXT,
                "manufacturer": TEXT,
                "model": TEXT,
                "sw_version": TEXT,
                "configuration_url": {"type": "string", "pattern": "^https?://"},
            },
        },
        "origin": {
            "type": "object",
            "required": ["name"],
            "additionalProperties": False,
            "properties": {"name": TEXT, "sw_version": TEXT, "support_url": TEXT},
        },
        "availability": AVAILABILITY,
        "state_topic": TOPIC,
        "qos": {"enum": [0, 1, 2]},
        "components": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[a-zA-Z0-9_-]+$"},
            "additionalProperties": {
                "oneOf": [_component(name, *rules) for name, rules in PLATFORMS.items()]
            },
        },
    },
}
