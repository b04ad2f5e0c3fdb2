"""The bodies of chat requests, and what to leave out when an endpoint does not take it all."""

import json
from collections.abc import Mapping
from typing import Any

from llm.configuration import LlmConfiguration
from llm.errors import ModelRefused
from llm.gateway import ChatRequest, JsonSchema
from llm.tokens import well_formed
from llm.types import ChatMessage, ToolCall, ToolSpec

Body = dict[str, Any]

_NESTED_BY_NAME = frozenset({"properties", "$defs", "definitions"})


def chat_body(request: ChatRequest, configuration: LlmConfiguration) -> Body:
    """The request as the endpoint reads it."""
    options = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "tools": [_tool(tool) for tool in request.tools] or None,
    }
    return {
        "model": configuration.name_at_endpoint(request.model or configuration.chat_model),
        "messages": [_message(message) for message in request.messages],
    } | {name: value for name, value in options.items() if value is not None}


def json_format(schema: JsonSchema, schema_name: str) -> Body:
    """The `response_format` that has the endpoint enforce a schema."""
    strict = {"name": schema_name, "strict": True, "schema": strict_schema(schema)}
    return {"type": "json_schema", "json_schema": strict}


def strict_schema(schema: JsonSchema) -> Body:
    """The schema in the dialect of strict mode: every property required, no others, no defaults."""
    strict = {key: _strict(key, value) for key, value in schema.items() if key != "default"}
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


def relaxed(body: Body, refusal: ModelRefused) -> Body | None:
    """The request without the option that may have been refused, or None when there is none left.

    A schema steps down to plain JSON, then to plain text, and is written into the prompt instead.
    Tools stay: whoever offers them wants to know that they were refused.
    """
    if refusal.status not in {400, 422}:
        return None
    unnamed = next((name for name in ("response_format", "stream_options") if name in body), "")
    option = refusal.option or unnamed
    if option not in body or option == "tools":
        return None
    rest = {name: value for name, value in body.items() if name != option}
    if option == "max_tokens":
        return rest | {"max_completion_tokens": body[option]}
    if option == "response_format" and body[option]["type"] == "json_schema":
        return rest | _json_by_prompt(body)
    return rest


def _json_by_prompt(body: Body) -> Body:
    schema = json.dumps(body["response_format"]["json_schema"]["schema"], ensure_ascii=False)
    order = f"Answer with one JSON object of this JSON schema and nothing else:\n{schema}"
    first, *others = body["messages"]
    # Some chat templates take a system message in the first place only.
    if first["role"] == "system":
        messages = [first | {"content": f"{first['content']}\n\n{order}"}, *others]
    else:
        messages = [{"role": "system", "content": order}, first, *others]
    return {"messages": messages, "response_format": {"type": "json_object"}}


def _message(message: ChatMessage) -> Body:
    body: Body = {"role": message.role, "content": well_formed(message.content)}
    if message.name:
        body["name"] = message.name
    if message.tool_call_id:
        body["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        body["tool_calls"] = [_call(call) for call in message.tool_calls]
    return body


def _call(call: ToolCall) -> Body:
    function = {"name": call.name, "arguments": well_formed(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _tool(tool: ToolSpec) -> Body:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _strict(key: str, value: Any) -> Any:
    if key in _NESTED_BY_NAME:
        return {name: strict_schema(nested) for name, nested in value.items()}
    if isinstance(value, Mapping) and key != "const":
        return strict_schema(value)
    if isinstance(value, list):
        return [strict_schema(item) if isinstance(item, Mapping) else item for item in value]
    return value
