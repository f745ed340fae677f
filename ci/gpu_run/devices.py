"""What `tegula devices` finds."""
import json

from gpu_run.command import run
from gpu_run.programs import BadUse


def listed(package, environment, log):
    """(devices, absent backends with reasons)"""
    answer = run([package.program("tegula"), "devices", "--json"], limit=120, environment=environment, log=log)
    try:
        # Drivers may write warnings before.
        text = json.loads(answer.output[answer.output.index("{"):])
        return text["devices"], {item["backend"]: item["reason"] for item in text["absent"]}
    except (ValueError, KeyError) as error:
        raise BadUse(f"`tegula devices --json` of {package.folder} is not to be understood "
                     f"({answer.ending(120) or error}): {answer.tail()}") from error


def choose(found, names):
    """The devices named, or all."""
    known = [device["name"] for device in found]
    for name in names:
        if name not in known:
            raise BadUse(f"there is no device '{name}'; `tegula devices` finds {', '.join(known) or 'none'}")
    return [device for device in found if not names or device["name"] in names]


def backend(device):
    """"cuda" of "cuda:0"."""
    return device["name"].split(":")[0]
