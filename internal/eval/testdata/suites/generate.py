"""Writes the two suites: python3 generate.py"""
import base
import chat
import travel

base.write("chat", chat.TOOLS, chat.Chat, chat.TASKS, chat.INJECTIONS)
base.write("travel", travel.TOOLS, travel.Travel, travel.TASKS, travel.INJECTIONS)
